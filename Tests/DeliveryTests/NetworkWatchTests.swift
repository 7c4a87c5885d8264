import Delivery
import Testing

@Suite("A look at the network")
struct NetworkWatchTests {
    private static let up = NetworkView(
        defaultRoutes: ["eth0 via 0100000A"], addresses: ["eth0 0a000002"])
    private static let down = NetworkView(defaultRoutes: [])

    private func change(_ change: (inout NetworkView) -> Void) -> NetworkView {
        var view = Self.up
        change(&view)
        return view
    }

    @Test("is taken at once, then a second after the first message, and once a minute")
    func when() {
        var watch = NetworkWatch(at: 5000)
        #expect(watch.lookAt == 5000)
        _ = watch.looked(Self.up, suspendedMilliseconds: 0, at: 5000)
        #expect(watch.lookAt == 65_000)
        watch.heard(at: 10_000)
        #expect(watch.lookAt == 11_000)
        for time in stride(from: Int64(10_100), to: 10_900, by: 100) { watch.heard(at: time) }
        #expect(watch.lookAt == 11_000, "a storm of messages does not put it off")
        _ = watch.looked(Self.up, suspendedMilliseconds: 0, at: 11_000)
        #expect(watch.lookAt == 71_000)
        watch.heard(at: 70_900)
        #expect(watch.lookAt == 71_000, "nor does a message put off the look that is due")
    }

    @Test("is news where routes or their addresses have changed, and at first where there is none")
    func news() {
        let other = change { $0.defaultRoutes = ["wwan0 via 00000000"] }
        let renumbered = change { $0.addresses = ["eth0 0a000003"] }
        let rows: [(NetworkView?, NetworkView?, Bool?)] = [
            (nil, Self.up, nil), (nil, Self.down, false), (Self.up, Self.up, nil),
            (Self.up, Self.down, false), (Self.down, Self.down, nil), (Self.down, Self.up, true),
            (Self.up, other, true), (Self.up, renumbered, true), (Self.up, nil, nil),
        ]
        for (before, after, hasRoute) in rows {
            var watch = NetworkWatch(at: 0)
            if let before { _ = watch.looked(before, suspendedMilliseconds: 0, at: 0) }
            let news = watch.looked(after, suspendedMilliseconds: 0, at: 1000)
            #expect(
                news?.hasRoute == hasRoute,
                "\(String(describing: before)) \(String(describing: after))")
            #expect(news?.isResumed ?? false == false)
        }
    }

    @Test("that shows nothing does not hide what comes next")
    func unreadable() {
        var watch = NetworkWatch(at: 0)
        _ = watch.looked(Self.up, suspendedMilliseconds: 0, at: 0)
        #expect(watch.looked(nil, suspendedMilliseconds: 0, at: 1000) == nil)
        #expect(watch.looked(Self.up, suspendedMilliseconds: 0, at: 2000) == nil)
        #expect(
            watch.looked(Self.down, suspendedMilliseconds: 0, at: 3000)
                == NetworkNews(hasRoute: false))
    }

    @Test(
        "after a suspension is news, however the network looks",
        arguments: [2000, 2001, 86_400_000])
    func resumed(milliseconds: Int64) {
        var watch = NetworkWatch(at: 0)
        _ = watch.looked(Self.up, suspendedMilliseconds: 7, at: 0)
        let news = watch.looked(Self.up, suspendedMilliseconds: 7 + milliseconds, at: 1000)
        #expect(news == (milliseconds > 2000 ? NetworkNews(hasRoute: true, isResumed: true) : nil))
        #expect(
            watch.looked(Self.up, suspendedMilliseconds: 7 + milliseconds, at: 2000) == nil,
            "once")
    }
}
