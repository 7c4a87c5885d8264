/// The order of places along Hilbert curves on the six sides of a cube around the Earth: what
/// follows each other lies together, everywhere alike.
///
/// D. Hilbert, "Ueber die stetige Abbildung einer Linie auf ein Flaechenstueck" (1891),
/// DOI 10.1007/BF01199431.
enum HilbertOrder {
    /// Cells along an edge of the cube are 2^20, below 10 m.
    private static let bits = 20
    private static let digitBits = 11
    private static let digits = 4

    /// Indices, sorted by place: a radix sort over the 43 bits of the keys. O(n).
    static func order(of grounds: ContiguousArray<PackedGround>) -> [UInt32] {
        var order = (0..<UInt32(clamping: grounds.count)).map { $0 }
        var keys = grounds.map { key(of: SurfaceNormal($0.place)) }
        var nextOrder = order
        var nextKeys = keys
        for digit in 0..<digits {
            let shift = UInt64(digit * digitBits)
            var places = [Int](repeating: 0, count: 1 << digitBits)
            for key in keys { places[place(key, shift)] += 1 }
            var sum = 0
            for index in places.indices {
                let count = places[index]
                places[index] = sum
                sum += count
            }
            for index in keys.indices {
                let bucket = place(keys[index], shift)
                nextKeys[places[bucket]] = keys[index]
                nextOrder[places[bucket]] = order[index]
                places[bucket] += 1
            }
            swap(&keys, &nextKeys)
            swap(&order, &nextOrder)
        }
        return order
    }

    @inline(__always)
    private static func place(_ key: UInt64, _ shift: UInt64) -> Int {
        Int((key >> shift) & (1 << UInt64(digitBits) - 1))
    }

    /// Side of the cube, then the place along its curve.
    static func key(of normal: SurfaceNormal) -> UInt64 {
        let x = abs(normal.x)
        let y = abs(normal.y)
        let z = abs(normal.z)
        let side: UInt64
        let first: Double
        let second: Double
        if x >= y, x >= z {
            (side, first, second) = (normal.x < 0 ? 3 : 0, normal.y / x, normal.z / x)
        } else if y >= z {
            (side, first, second) = (normal.y < 0 ? 4 : 1, normal.x / y, normal.z / y)
        } else {
            (side, first, second) = (normal.z < 0 ? 5 : 2, normal.x / z, normal.y / z)
        }
        return side << UInt64(2 * bits) | position(cell(first), cell(second))
    }

    /// The cell of a share from -1 to 1.
    private static func cell(_ share: Double) -> UInt64 {
        let cells = Double(1 << bits)
        return UInt64(max(0, min(cells - 1, (share + 1) / 2 * cells)))
    }

    /// How far along the curve a cell lies.
    private static func position(_ column: UInt64, _ row: UInt64) -> UInt64 {
        var x = column
        var y = row
        var result: UInt64 = 0
        var half: UInt64 = 1 << UInt64(bits - 1)
        while half > 0 {
            let isRight: UInt64 = x & half > 0 ? 1 : 0
            let isUp: UInt64 = y & half > 0 ? 1 : 0
            result += half * half * ((3 * isRight) ^ isUp)
            if isUp == 0 {
                if isRight == 1 {
                    x = half - 1 - (x & (half - 1))
                    y = half - 1 - (y & (half - 1))
                }
                swap(&x, &y)
            }
            half >>= 1
        }
        return result
    }
}
