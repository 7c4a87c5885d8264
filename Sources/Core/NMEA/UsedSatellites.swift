/// The union of the satellites of an epoch's GSA sentences, by navigation system.
struct UsedSatellites {
    // System ids of NMEA 4.11: 1 GPS, 2 GLONASS, 3 Galileo, 4 BeiDou, 5 QZSS, 6 NavIC.
    private var unnamed = SatelliteSet()
    private var gps = SatelliteSet()
    private var glonass = SatelliteSet()
    private var galileo = SatelliteSet()
    private var beidou = SatelliteSet()
    private var others = SatelliteSet()

    @inline(__always)
    mutating func formUnion(_ active: ActiveSatellites) {
        switch active.system {
        case 0: unnamed.formUnion(active.satellites)
        case 1: gps.formUnion(active.satellites)
        case 2: glonass.formUnion(active.satellites)
        case 3: galileo.formUnion(active.satellites)
        case 4: beidou.formUnion(active.satellites)
        default: others.formUnion(active.satellites)
        }
    }

    var count: Int {
        unnamed.count + gps.count + glonass.count + galileo.count + beidou.count + others.count
    }
}
