// swift-tools-version: 6.0
// The manifest is the architecture: it reads as the table of docs/architecture.md, top to bottom.
import PackageDescription

enum Group: String {
    case cLibraries = "CLibraries"
    case core = "Core"
    case adapters = "Adapters"
    case agent = "Agent"
    case server = "Server"
    case field = "Field"
}

func path(_ group: Group, _ name: String) -> String { "Sources/\(group.rawValue)/\(name)" }

func cLibrary(_ name: String, apt package: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: path(.cLibraries, name), providers: package.map { [.apt([$0])] })
}

func library(_ name: String, in group: Group, uses: [String] = []) -> Target {
    .target(
        name: name, dependencies: uses.map { .init(stringLiteral: $0) }, path: path(group, name))
}

func program(_ name: String, in group: Group, uses: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: uses.map { .init(stringLiteral: $0) }, path: path(group, name))
}

func tests(_ name: String, uses: [String]) -> Target {
    .testTarget(name: name, dependencies: uses.map { .init(stringLiteral: $0) })
}

let core = [
    "Timekeeping", "Geodesy", "Snapshots", "Positioning", "NMEA", "Geofencing", "Campaigns",
    "Delivery", "WireFormat",
]

let targets: [Target] = [
    cLibrary("CSQLite", apt: "libsqlite3-dev"),
    cLibrary("CGPSD", apt: "libgps-dev"),
    cLibrary("CCurl", apt: "libcurl4-openssl-dev"),
    cLibrary("CMicrohttpd", apt: "libmicrohttpd-dev"),
    cLibrary("CYAML", apt: "libyaml-dev"),
    cLibrary("CCrypto", apt: "libssl-dev"),
    cLibrary("CZlib", apt: "zlib1g-dev"),
    cLibrary("CLinux"),

    library("Timekeeping", in: .core),
    library("Geodesy", in: .core),
    library("Snapshots", in: .core),
    library("Positioning", in: .core, uses: ["Geodesy", "Snapshots", "Timekeeping"]),
    library("NMEA", in: .core, uses: ["Positioning", "Geodesy", "Timekeeping"]),
    library(
        "Geofencing", in: .core, uses: ["Positioning", "Geodesy", "Snapshots", "Timekeeping"]),
    library("Campaigns", in: .core, uses: ["Geofencing", "Timekeeping"]),
    library(
        "Delivery", in: .core,
        uses: ["Geofencing", "Campaigns", "Positioning", "Geodesy", "Timekeeping"]),
    library(
        "WireFormat", in: .core,
        uses: ["Delivery", "Campaigns", "Geofencing", "Positioning", "Geodesy", "Timekeeping"]),

    library("CommandLineTool", in: .adapters),
    library("ConfigurationFile", in: .adapters, uses: ["CYAML"]),
    library("Cryptography", in: .adapters, uses: ["CCrypto"]),
    library("Compression", in: .adapters, uses: ["CZlib"]),
    library("LinuxSystem", in: .adapters, uses: ["CLinux", "Timekeeping"]),
    library(
        "Receivers", in: .adapters,
        uses: [
            "CGPSD", "LinuxSystem", "NMEA", "Positioning", "Geodesy", "WireFormat", "Timekeeping",
        ]),
    library("SQLite", in: .adapters, uses: ["CSQLite"]),
    library(
        "HTTPTransport", in: .adapters,
        uses: [
            "CCurl", "Compression", "LinuxSystem", "Delivery", "Geofencing", "Geodesy",
            "WireFormat", "Timekeeping",
        ]),
    library("WebServer", in: .adapters, uses: ["CMicrohttpd"]),

    library("GeofenceAgent", in: .agent, uses: core),
    library("AgentStorage", in: .agent, uses: ["SQLite", "Cryptography"] + core),
    library(
        "EmbeddedAgent", in: .agent,
        uses: [
            "GeofenceAgent", "AgentStorage", "Receivers", "HTTPTransport", "LinuxSystem",
            "ConfigurationFile", "Cryptography",
        ] + core),
    program(
        "geofenced", in: .agent,
        uses: [
            "EmbeddedAgent", "GeofenceAgent", "CommandLineTool", "ConfigurationFile", "LinuxSystem",
        ]
            + core),

    library(
        "ReferenceServer", in: .server,
        uses: ["WebServer", "SQLite", "Cryptography", "Compression"] + core),
    program(
        "geofence-server", in: .server,
        uses: [
            "ReferenceServer", "WebServer", "ConfigurationFile", "CommandLineTool", "LinuxSystem",
        ] + core),

    library("Simulation", in: .field, uses: core),
    library("FieldTools", in: .field, uses: ["GeofenceAgent", "Simulation"] + core),
    program(
        "geofence-field", in: .field,
        uses: [
            "FieldTools", "Simulation", "AgentStorage", "Receivers", "CommandLineTool",
            "Compression", "Cryptography", "HTTPTransport", "LinuxSystem", "SQLite",
        ] + core),

    .target(
        name: "TestSupport", dependencies: core.map { .init(stringLiteral: $0) },
        path: "Tests/TestSupport"),
    tests("TimekeepingTests", uses: ["Timekeeping", "TestSupport"]),
    tests("GeodesyTests", uses: ["Geodesy", "Simulation", "TestSupport"]),
    tests("SnapshotsTests", uses: ["Snapshots"]),
    tests("PositioningTests", uses: ["Positioning", "Geodesy", "Timekeeping", "TestSupport"]),
    tests("NMEATests", uses: ["NMEA", "Positioning", "Geodesy", "Timekeeping", "TestSupport"]),
    tests(
        "GeofencingTests",
        uses: [
            "Geofencing", "Positioning", "Geodesy", "Snapshots", "Timekeeping", "Simulation",
            "TestSupport",
        ]),
    tests("CampaignsTests", uses: ["TestSupport"] + core),
    tests(
        "DeliveryTests",
        uses: ["Delivery", "Geofencing", "Positioning", "Geodesy", "Timekeeping", "TestSupport"]),
    tests("WireFormatTests", uses: ["TestSupport"] + core),
    tests("CommandLineToolTests", uses: ["CommandLineTool", "TestSupport"]),
    tests("ConfigurationFileTests", uses: ["ConfigurationFile", "TestSupport"]),
    tests("CryptographyTests", uses: ["Cryptography"]),
    tests("CompressionTests", uses: ["Compression"]),
    tests("LinuxSystemTests", uses: ["LinuxSystem", "Timekeeping", "TestSupport"]),
    tests("ReceiversTests", uses: ["Receivers", "LinuxSystem", "TestSupport"] + core),
    tests("SQLiteTests", uses: ["SQLite", "TestSupport"]),
    tests(
        "HTTPTransportTests",
        uses: ["HTTPTransport", "Compression", "WebServer", "TestSupport"] + core),
    tests("WebServerTests", uses: ["WebServer", "TestSupport"]),
    tests(
        "GeofenceAgentTests",
        uses: ["GeofenceAgent", "FieldTools", "LinuxSystem", "Simulation", "TestSupport"] + core),
    tests(
        "AgentStorageTests", uses: ["AgentStorage", "SQLite", "Simulation", "TestSupport"] + core),
    tests(
        "EmbeddedAgentTests",
        uses: ["EmbeddedAgent", "GeofenceAgent", "ConfigurationFile", "TestSupport"] + core),
    tests(
        "ReferenceServerTests",
        uses: [
            "ReferenceServer", "WebServer", "SQLite", "Compression", "Cryptography",
            "ConfigurationFile", "TestSupport",
        ] + core),
    tests("SimulationTests", uses: ["Simulation", "TestSupport"] + core),
    tests(
        "FieldToolsTests",
        uses: ["FieldTools", "Simulation", "GeofenceAgent", "TestSupport"] + core),
    tests(
        "ScenarioTests",
        uses: [
            "AgentStorage", "GeofenceAgent", "SQLite", "Simulation", "FieldTools", "TestSupport",
        ] + core),
    tests("EndToEndTests", uses: ["LinuxSystem", "TestSupport"] + core),
    tests("ArchitectureTests", uses: ["TestSupport"]),
]

let package = Package(
    name: "geofenced",
    products: [
        .executable(name: "geofenced", targets: ["geofenced"]),
        .executable(name: "geofence-server", targets: ["geofence-server"]),
        .executable(name: "geofence-field", targets: ["geofence-field"]),
        .library(name: "EmbeddedAgent", targets: ["EmbeddedAgent"]),
    ],
    targets: targets,
    swiftLanguageModes: [.v6]
)
