import Testing

@testable import FieldTools

@Suite("CSV files of positions")
struct CSVTrackTests {
    @Test(
        "the forms that loggers write",
        arguments: [
            ("time,lat,lon\n2024-03-01T12:00:00Z,47.5,-11.25", 47.5, -11.25),
            ("unix_s,recv,lat,lon\n1709294400.000,1,47.5,-11.25", 47.5, -11.25),
            (
                "LatitudeDegrees,LongitudeDegrees,UnixTimeMillis\n47.5,-11.25,1709294400000", 47.5,
                -11.25
            ),
            ("No,Latitude,Longitude,Date,Time\n1,47.5,-11.25,2024/03/01,12:00:00", 47.5, -11.25),
            (
                "INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,SPEED\n1 ,T,240301,120000,47.5S,11.25W,36",
                -47.5, -11.25
            ),
            (
                "INDEX,DATE,TIME,VALID,LATITUDE,N/S,LONGITUDE,E/W,SPEED\n1,2024/03/01,12:00:00.000,SPS,47.5,S,11.25,E,36.000 km/h",
                -47.5, 11.25
            ),
        ])
    func forms(text: String, latitude: Double, longitude: Double) throws {
        let fixes = try CSVTrack.fixes(of: Array(text.utf8))
        let fix = try #require(fixes.first)
        #expect(fixes.count == 1)
        #expect(fix.time?.rfc3339 == "2024-03-01T12:00:00.000Z")
        #expect(fix.coordinate?.latitude == latitude)
        #expect(fix.coordinate?.longitude == longitude)
        if text.hasPrefix("INDEX") { #expect(abs((fix.speed ?? 0) - 10) < 1e-9) }
    }

    @Test(
        "a row without a fix is an epoch without one",
        arguments: [
            "time,lat,lon\n2024-03-01T12:00:00Z,,",
            "DATE,TIME,VALID,LATITUDE,LONGITUDE\n240301,120000,No fix,47.5,11.25",
        ])
    func void(text: String) throws {
        let fixes = try CSVTrack.fixes(of: Array(text.utf8))
        #expect(fixes.map(\.coordinate) == [nil])
        #expect(fixes.map(\.dimension) == [.none])
        #expect(fixes.first?.time != nil)
    }

    @Test(
        "a row that breaks its form is refused with its line",
        arguments: [
            "time,lat,lon\n1709294400,47.5,x", "time,lat,lon\n1709294400,47.5",
            "time,lat,lon\nsoon,47.5,11.25", "time,lat,lon\n1709294400,97.5,11.25",
            "time,lat,lon\n1709294400,nan,11.25", "time,lat,lon\n1709294400,47.5W,11.25",
            "date,time,lat,lon\n2024/13/01,120000,47.5,11.25",
            "date,time,lat,lon\n240301,250000,47.5,11.25",
            "date,time,lat,lon\n-40301,120000,47.5,11.25",
            "date,time,lat,lon\n240301,12:00,47.5,11.25",
            "lat,n/s,lon,time\n47.5,X,11.25,1709294400",
        ])
    func broken(text: String) {
        #expect(throws: (any Error).self) { try CSVTrack.fixes(of: Array(text.utf8)) }
    }
}
