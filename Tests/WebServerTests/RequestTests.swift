import Testing
import WebServer

@Suite("Request")
struct RequestTests {
    @Test(
        "a target is taken apart into path and query",
        arguments: [
            ("/v1/fences", "/v1/fences", nil as String?),
            ("/v1?a=1&b", "/v1", "a=1&b"),
            ("/?", "/", ""),
            ("http://host:80/x?y", "/x", "y"),
            ("http://host", "", nil),
            ("/a://b", "/a://b", nil),
        ])
    func target(text: String, path: String, query: String?) {
        let request = Request(method: "GET", target: text)
        #expect(request.path == path)
        #expect(request.query == query)
    }

    @Test("segments are split before they are decoded")
    func segments() {
        let request = Request(method: "GET", target: "/v1//a%2Fb/%E2%82%AC+%zz%4")
        #expect(request.pathSegments == ["v1", "a/b", "€+%zz%4"])
    }

    @Test("query fields are decoded, a plus is a space")
    func query() {
        let request = Request(method: "GET", target: "/?a=1+2%2B&b&=c&a=3&d=e=f")
        #expect(request.queryItems.map(\.name) == ["a", "b", "", "a", "d"])
        #expect(request.queryItems.map(\.value) == ["1 2+", "", "c", "3", "e=f"])
        #expect(request.queryValue("a") == "1 2+")
        #expect(request.queryValue("z") == nil)
    }

    @Test("header names are compared without case")
    func headers() {
        var headers: Headers = ["Content-Type": "a"]
        headers.append("content-type", "b")
        #expect(headers["CONTENT-TYPE"] == "a")
        headers["Content-type"] = "c"
        #expect(headers.fields.map(\.value) == ["c"])
        headers["content-type"] = nil
        #expect(headers.fields.isEmpty)
    }

    @Test(
        "an address is numeric and has a port",
        arguments: [
            ("127.0.0.1:8948", true), ("[::1]:0", true), ("0.0.0.0:65535", true),
            ("::1:80", false), ("127.0.0.1", false), ("127.0.0.1:65536", false),
            ("localhost:80", false), (":80", false), ("", false), ("[127.0.0.1]:80", false),
        ])
    func address(text: String, isValid: Bool) {
        let address = ListenAddress(text)
        #expect((address != nil) == isValid)
        if isValid { #expect(address?.description == text) }
    }
}
