/// Guesses which known word somebody meant.
public enum Spelling {
    /// Longest word that is compared; a longer one is nobody's misspelling.
    static let maximumLength = 40

    /// The nearest of `candidates`, if at most a third of its letters are wrong.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        guard word.count <= maximumLength else { return nil }
        let ranked =
            candidates
            .map { (candidate: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
            .filter { $0.distance <= max(1, $0.candidate.utf8.count / 3) }
        return ranked.min { $0.distance < $1.distance }?.candidate
    }

    /// ", did you mean WORD?", or nothing.
    public static func suggestion(
        for word: String, among candidates: [String], prefix: String = ""
    ) -> String {
        nearest(to: word, among: candidates).map { ", did you mean \(prefix)\($0)?" } ?? ""
    }

    /// Insertions, deletions, substitutions and swaps of neighbours between two words.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(
                    previous[column + 1] + 1, current[column] + 1,
                    previous[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
