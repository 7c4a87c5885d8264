import CommandLineTool
import Glibc
import Simulation
import Timekeeping

/// `simulate`: a receiver on a drive, as a file or as a serial port.
struct SimulateCommand: Command {
    static let declaration = CommandDeclaration(
        "simulate", summary: "drive a route with a simulated receiver",
        example:
            "simulate --route town.geojson --noise suburb --truth truth.ndjson --pty /tmp/gnss",
        discussion: """
            ROUTE is a GeoJSON Feature with a LineString; properties.speed_mps (default 15), \
            properties.stops [[vertex, seconds], ...] and properties.tunnels [[from, to], ...], \
            vertices counted from 0. Bends are taken at no more than 3 m/s2, the vehicle speeds \
            up and brakes at 2 m/s2. The same options and seed give the same bytes.

            With --pty, LINK is a symbolic link to a serial port that sends in real time as a line \
            of --baud does, and noise to a listener of another speed. Bytes that nobody takes are \
            lost. SIGUSR1 unplugs the port, SIGUSR2 plugs it in again under another name, to which \
            LINK then points; --unplug-at and --replug-after do the same once. SIGTERM ends.
            """,
        options: [
            .value("route", "ROUTE", "the GeoJSON file to drive", isRequired: true),
            .value("seed", "N", "decides every random number", default: "1"),
            .value("start", "UTC", "GNSS time of the departure, RFC 3339", default: "now"),
            .value("rate", "HZ", "epochs a second, 0.01 to 25", default: "1"),
            .value(
                "noise", "SKY", "sigma per axis 0, 2.5, 5, 12 or 20 m, tau 45 s",
                default: "none", oneOf: ReceiverNoise.names),
            .value("slow-share", "X", "share of the variance with tau 40 min", default: "0"),
            .value("jumps", "N", "multipath jumps of 10 to 60 m an hour", default: "0"),
            .value("claim", "X", "claimed over true accuracy", default: "1"),
            .value(
                "sentences", "LIST", "of rmc,vtg,gga,gsa,gsv,gst,zda",
                default: "rmc,vtg,gga,gsa,gsv"),
            .value(
                "outage", "AT:SECONDS", "no signal from AT seconds after departure on",
                isRepeatable: true),
            .value("cold-start", "S", "seconds until time and place are known", default: "0"),
            .value("linger", "S", "seconds at the last position after the drive", default: "0"),
            .value("truth", "FILE", "write the true track there, NDJSON at 10 Hz"),
            .value("output", "FILE", "write the sentences there", default: "standard output"),
            .value("pty", "LINK", "be a serial port instead, under this link"),
            .value("baud", "BAUD", "speed of the serial port", default: "9600"),
            .value(
                "speed", "X", "times real time", default: "max, with --pty 1",
                oneOf: ["max", "1", "10"]),
            .value("unplug-at", "S", "unplug the port S seconds after departure"),
            .value("replug-after", "S", "plug it in again S seconds later", default: "5"),
            .flag("wait-for-reader", "depart when the port is first opened"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let plan = try SimulationPlan(arguments)
        CaughtSignals.install()
        if let link = plan.link {
            try PortSession(plan, link: link, console: console).run()
        } else {
            try FileSession(plan, console: console).run()
        }
        return .success
    }
}
