extension AgentStatus {
    /// One line for `systemctl status`, from the sky to the server. It goes to the journal's
    /// readers, too, and holds no coordinate.
    public var summary: String {
        var parts = [receiver.state]
        parts.append(
            fences.source == "none"
                ? "no fences yet" : "\(fences.monitored) of \(fences.known) fences monitored")
        parts.append("\(queue.pending) events waiting")
        if queue.storage != "durable" { parts.append("storage \(queue.storage)") }
        parts.append(server.map { "server \($0.state)" } ?? "no server configured")
        return parts.joined(separator: ", ")
    }
}
