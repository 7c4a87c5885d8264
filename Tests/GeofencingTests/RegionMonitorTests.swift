import Geodesy
import Geofencing
import Testing

@Suite("The emulated region monitor")
struct RegionMonitorTests {
    static func circle(_ radius: Double) throws -> EnclosingCircle {
        EnclosingCircle(
            center: try #require(Coordinate(latitude: 1, longitude: 2)), radiusMeters: radius)
    }

    static func refusal(
        _ monitor: inout RegionMonitor, _ identifier: String, _ radius: Double
    ) throws -> RegionError? {
        let circle = try circle(radius)
        do {
            _ = try monitor.register(identifier, around: circle)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a profile's cap holds: the next region is refused, a known identifier replaced",
        arguments: [(RegionProfile.gnss, 20), (.ios, 20), (.android, 100)])
    func cap(profile: RegionProfile, cap: Int) throws {
        var monitor = RegionMonitor(profile: profile)
        for index in 0..<cap {
            let circle = try Self.circle(200)
            guard case .registered(let region) = try monitor.register("r\(index)", around: circle)
            else {
                Issue.record("r\(index) was not registered")
                return
            }
            #expect(region.identifier == "r\(index)")
        }
        #expect(
            try Self.refusal(&monitor, "beyond", 200)
                == .beyondCap(identifier: "beyond", cap: cap))
        #expect(try Self.refusal(&monitor, "r0", 500) == nil)
        #expect(monitor["r0"]?.radiusMeters == 500)
        #expect(monitor.regions.count == cap)
        #expect(monitor.unregister("r1") != nil)
        #expect(monitor.unregister("r1") == nil)
        #expect(try Self.refusal(&monitor, "beyond", 200) == nil)
    }

    @Test(
        "a radius is fitted to what the profile can monitor",
        arguments: [
            (RegionProfile.gnss, 10.0, 10.0, Region.Fit.asAsked), (.ios, 10, 100, .widened),
            (.android, 99.9, 100, .widened), (.ios, 100, 100, .asAsked),
            (.gnss, 100_000, 100_000, .asAsked), (.gnss, 100_001, 100_000, .clamped),
            (.android, 240_000, 100_000, .clamped),
        ])
    func radius(profile: RegionProfile, asked: Double, radius: Double, fit: Region.Fit) throws {
        var monitor = RegionMonitor(profile: profile)
        #expect(try Self.refusal(&monitor, "r", asked) == nil)
        #expect(monitor["r"]?.radiusMeters == radius)
        #expect(monitor["r"]?.fit == fit)
    }

    @Test("a radius that is no length is refused", arguments: [-1, .nan, .infinity] as [Double])
    func noLength(radius: Double) throws {
        var monitor = RegionMonitor(profile: .gnss)
        #expect(try Self.refusal(&monitor, "r", radius) != nil)
        #expect(monitor.regions == [])
    }

    @Test("nothing is registered while monitoring is unavailable, and nothing is forgotten")
    func unavailable() throws {
        var monitor = RegionMonitor(profile: .gnss)
        #expect(try Self.refusal(&monitor, "kept", 50) == nil)
        for reason in RegionMonitor.Reason.allCases {
            monitor.setAvailability(.unavailable(reason))
            #expect(try Self.refusal(&monitor, "new", 50) == .unavailable(reason))
        }
        monitor.setAvailability(.available)
        #expect(monitor.regions.map(\.identifier) == ["kept"])
        #expect(try Self.refusal(&monitor, "new", 50) == nil)
    }

    @Test("phones widen a small circle, the receiver watches what was drawn")
    func monitoredShape() throws {
        let center = try #require(Coordinate(latitude: 1, longitude: 2))
        let fence = Fence(
            id: "f", name: "f", shape: .circle(center: center, radiusMeters: 30))
        #expect(try PreparedFence(fence).shape.signedDistance(to: center) == 30)
        #expect(try PreparedFence(fence, profile: .ios).shape.signedDistance(to: center) == 100)
        #expect(try PreparedFence(fence, profile: .ios).fence == fence)
    }
}
