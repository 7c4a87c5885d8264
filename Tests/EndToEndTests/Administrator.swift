import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Who asks a server with the key of its administrator.
struct Administrator {
    let url: String
    let key: String

    /// One request; the answer must be a success.
    func ask(_ method: String, _ path: String, body: [UInt8]? = nil) async throws -> Data {
        var request = URLRequest(url: try #require(URL(string: url + path)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0) }
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        request.setValue("application/geo+json", forHTTPHeaderField: "Content-Type")
        let (data, answer) = try await Self.data(for: request)
        let status = (answer as? HTTPURLResponse)?.statusCode ?? 0
        try #require(
            (200...299).contains(status), "\(status) \(String(decoding: data, as: UTF8.self))")
        return data
    }

    /// A test of another suite may just then have set a proxy in the environment of this process,
    /// which URLSession follows.
    private static func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        for _ in 0..<20 {
            if let found = try? await URLSession.shared.data(for: request) { return found }
            try await Task.sleep(for: .milliseconds(250))
        }
        return try await URLSession.shared.data(for: request)
    }
}
