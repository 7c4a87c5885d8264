import Timekeeping

/// The fields that a receiver may omit: a value, and a bit that says whether it is there.
extension Fix {
    /// Nil when the receiver gave nothing from which to estimate it.
    @inlinable
    public var horizontalAccuracy: HorizontalAccuracy? {
        get {
            present & 2 == 0
                ? nil : HorizontalAccuracy(meters: storedAccuracy, provenance: storedProvenance)
        }
        set {
            mark(2, newValue != nil)
            storedAccuracy = newValue?.meters ?? 0
            storedProvenance = newValue?.provenance ?? .configured
        }
    }

    /// Nil when the epoch has no time of day, or no date is known for it.
    @inlinable
    public var time: UTCTime? {
        get { present & 1 == 0 ? nil : UTCTime(millisecondsSince1970: storedTime) }
        set {
            mark(1, newValue != nil)
            storedTime = newValue?.millisecondsSince1970 ?? 0
        }
    }

    /// Metres above mean sea level.
    @inlinable
    public var altitudeMeters: Double? {
        get { present & 4 == 0 ? nil : storedAltitude }
        set {
            mark(4, newValue != nil)
            storedAltitude = newValue ?? 0
        }
    }

    /// Metres per second over ground, not negative.
    @inlinable
    public var speed: Double? {
        get { present & 8 == 0 ? nil : storedSpeed }
        set {
            mark(8, newValue != nil)
            storedSpeed = newValue ?? 0
        }
    }

    /// Degrees clockwise from true north, 0 ..< 360; nil below 0.5 m/s.
    @inlinable
    public var course: Double? {
        get { present & 16 == 0 ? nil : storedCourse }
        set {
            mark(16, newValue != nil)
            storedCourse = newValue ?? 0
        }
    }

    /// Horizontal dilution of precision, positive.
    @inlinable
    public var hdop: Double? {
        get { present & 32 == 0 ? nil : storedHDOP }
        set {
            mark(32, newValue != nil)
            storedHDOP = newValue ?? 0
        }
    }

    @inlinable
    public var satellitesUsed: Int? {
        get { present & 64 == 0 ? nil : Int(storedUsed) }
        set {
            mark(64, newValue != nil)
            storedUsed = Int16(clamping: newValue ?? 0)
        }
    }

    @inlinable
    public var satellitesInView: Int? {
        get { present & 128 == 0 ? nil : Int(storedInView) }
        set {
            mark(128, newValue != nil)
            storedInView = Int16(clamping: newValue ?? 0)
        }
    }

    /// Carrier-to-noise density of the strongest satellite, dB-Hz.
    @inlinable
    public var bestSignal: Int? {
        get { present & 256 == 0 ? nil : Int(storedSignal) }
        set {
            mark(256, newValue != nil)
            storedSignal = Int16(clamping: newValue ?? 0)
        }
    }

    @inlinable
    mutating func mark(_ bit: UInt16, _ isPresent: Bool) {
        if isPresent { present |= bit } else { present &= ~bit }
    }
}
