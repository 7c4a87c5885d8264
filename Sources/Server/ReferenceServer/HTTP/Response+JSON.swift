import WebServer
import WireFormat

extension Response {
    /// JSON text that is ready.
    static func json(_ body: [UInt8], status: Int = 200, headers: Headers = [:]) -> Response {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return Response(status: status, headers: headers, body: body)
    }

    static func json(
        _ value: some Encodable, status: Int = 200, headers: Headers = [:]
    ) throws -> Response {
        json(try WireCoding.encode(value), status: status, headers: headers)
    }

    /// An object of scalars and ready text, in the given order.
    static func object(
        _ members: [(name: String, value: JSONScalar)], status: Int = 200,
        headers: Headers = [:]
    ) -> Response {
        json(
            JSONObjectText.prefixing(members, to: Array("{}".utf8)), status: status,
            headers: headers)
    }
}

extension JSONScalar {
    /// An array of objects that are ready.
    static func array(_ elements: [[UInt8]]) -> JSONScalar {
        var text: [UInt8] = [UInt8(ascii: "[")]
        text.reserveCapacity(elements.reduce(2) { $0 + $1.count + 1 })
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += element
        }
        text.append(UInt8(ascii: "]"))
        return .raw(text)
    }

    static func strings(_ texts: [String]) -> JSONScalar {
        array(
            texts.map {
                var quoted: [UInt8] = []
                JSONObjectText.append(quoted: $0, to: &quoted)
                return quoted
            })
    }
}
