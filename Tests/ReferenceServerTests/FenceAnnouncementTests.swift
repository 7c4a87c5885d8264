import Testing

@Suite("A changed fence is announced to running agents")
struct FenceAnnouncementTests {
    @Test("by the revision: adding, editing and deleting count, putting the same again does not")
    func revision() throws {
        let fixture = try ServerFixture()
        func revision() -> Double? {
            fixture.admin("GET", "/v1/admin/config")["revision"]?.number
        }
        func put(_ radius: Int) -> Int {
            fixture.admin(
                "PUT", "/v1/admin/fences.geojson",
                """
                {"type": "FeatureCollection", "features": [{"type": "Feature", "id": "cafe",
                  "properties": {"name": "Cafe", "radius_m": \(radius)},
                  "geometry": {"type": "Point", "coordinates": [10, 50]}}]}
                """
            ).status
        }
        let start = try #require(revision())
        #expect(put(120) == 200 && revision() == start + 1)
        #expect(put(120) == 200 && revision() == start + 1)
        #expect(put(150) == 200 && revision() == start + 2)
        #expect(fixture.admin("DELETE", "/v1/admin/fences/cafe").status == 204)
        #expect(revision() == start + 3)
    }
}
