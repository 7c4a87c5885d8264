import Geodesy
import Simulation
import Testing

@Suite("Route")
struct RouteTests {
    private static func feature(_ coordinates: String, _ properties: String = "{}") -> [UInt8] {
        Array(
            """
            {"type":"Feature","properties":\(properties),
             "geometry":{"type":"LineString","coordinates":\(coordinates)}}
            """.utf8)
    }

    @Test("a LineString Feature is read with its speed, stops and tunnels")
    func reads() throws {
        let route = try Route(
            geoJSON: Self.feature(
                "[[13.0,52.0],[13.01,52.0,35.5],[13.02,52.01]]",
                #"{"speed_mps":12.5,"stops":[[2,30],[1,5.5]],"tunnels":[[0,1]],"name":"x"}"#))
        #expect(route.positions.count == 3)
        #expect(route.positions[1] == Coordinate(latitude: 52, longitude: 13.01))
        #expect(route.speedMetersPerSecond == 12.5)
        #expect(
            route.stops == [
                Route.Stop(vertex: 1, seconds: 5.5), Route.Stop(vertex: 2, seconds: 30),
            ])
        #expect(route.tunnels == [Route.Tunnel(entrance: 0, exit: 1)])
    }

    @Test("without properties the speed is 15 m/s and there is no stop")
    func defaults() throws {
        let route = try Route(geoJSON: Self.feature("[[13,52],[13.1,52]]", "null"))
        #expect(route.speedMetersPerSecond == 15)
        #expect(route.stops.isEmpty && route.tunnels.isEmpty)
    }

    @Test(
        "what cannot be driven is refused with its place",
        arguments: [
            ("[[13,52]]", "{}", "geometry.coordinates"),
            ("[[13,52],[13,52]]", "{}", "geometry.coordinates"),
            ("[[13,52],[13]]", "{}", "geometry.coordinates[1]"),
            ("[[13,52],[13,91]]", "{}", "geometry.coordinates[1]"),
            ("[[13,52],[13,86]]", "{}", "geometry.coordinates[1]"),
            ("[[13,52],[190,52]]", "{}", "geometry.coordinates[1]"),
            ("[[13,52],[13.1,52]]", #"{"speed_mps":0}"#, "properties.speed_mps"),
            ("[[13,52],[13.1,52]]", #"{"speed_mps":-3}"#, "properties.speed_mps"),
            ("[[13,52],[13.1,52]]", #"{"speed_mps":"fast"}"#, "/properties/speed_mps"),
            ("[[13,52],[13.1,52]]", #"{"stops":[[2,10]]}"#, "properties.stops[0]"),
            ("[[13,52],[13.1,52]]", #"{"stops":[[0,1],[-1,10]]}"#, "properties.stops[1]"),
            ("[[13,52],[13.1,52]]", #"{"stops":[[1,-10]]}"#, "properties.stops[0]"),
            ("[[13,52],[13.1,52]]", #"{"stops":[[1,10],[1,20]]}"#, "properties.stops[1]"),
            ("[[13,52],[13.1,52]]", #"{"stops":[[0.5,10]]}"#, "properties.stops[0]"),
            ("[[13,52],[13.1,52]]", #"{"stops":[[1]]}"#, "properties.stops[0]"),
            ("[[13,52],[13.1,52]]", #"{"tunnels":[[1,0]]}"#, "properties.tunnels[0]"),
            ("[[13,52],[13.1,52]]", #"{"tunnels":[[0,2]]}"#, "properties.tunnels[0]"),
            ("[[13,52],[13.1,52]]", #"{"tunnels":[[0,1e30]]}"#, "properties.tunnels[0]"),
        ])
    func refuses(coordinates: String, properties: String, place: String) {
        #expect(throws: RouteError.self) {
            try Route(geoJSON: Self.feature(coordinates, properties))
        }
        do {
            _ = try Route(geoJSON: Self.feature(coordinates, properties))
        } catch {
            #expect(error.place == place, "\(error)")
        }
    }

    @Test(
        "what is no LineString Feature is refused",
        arguments: [
            "", "[]", "nonsense", #"{"type":"Feature"}"#,
            #"{"type":"LineString","coordinates":[[13,52],[13.1,52]]}"#,
            #"{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[13,52]}}"#,
            #"{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[1,2]]}}"#,
        ])
    func refusesOtherDocuments(text: String) {
        #expect(throws: RouteError.self) { try Route(geoJSON: Array(text.utf8)) }
    }
}
