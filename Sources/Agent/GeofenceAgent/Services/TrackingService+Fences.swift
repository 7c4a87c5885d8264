import Delivery
import Geofencing
import Timekeeping
import WireFormat

extension TrackingService {
    /// Reads the pipeline's state; one that cannot be read is a loss that the journal names.
    func restorePipeline() {
        guard let bytes = stored(.pipeline) else { return }
        do throws(WireError) {
            let state = try WireCoding.decode(PipelineState.self, from: bytes)
            pipeline = TrackingPipeline(
                rules: settings.rules, bootID: bootID, restoring: state, syncingFrom: syncStart)
        } catch {
            log.write(LogLine(.error, "the stored tracker state cannot be read: \(error)"))
        }
    }

    /// Monitors the fences of the configuration or of the cache, before there is a network.
    func restoreFences() {
        if let fences = settings.fixedFences {
            source.origin = .file
            settle(pipeline.replaceFences(fences, at: time.uptime, wallClock: time.wallClock))
            return
        }
        guard let bytes = stored(.fences) else { return }
        do throws(WireError) {
            let tag = stored(.fencesTag).map { String(decoding: $0, as: UTF8.self) }
            let answer = try WireCoding.decode(NearestAnswer.self, from: bytes)
                .fenceAnswer(document: bytes, entityTag: tag)
            source.origin = .cache
            source.entityTag = tag
            source.configuration = answer.configuration
            settle(
                pipeline.restoreFences(
                    answer.fences, configuration: answer.configuration, at: time.uptime,
                    wallClock: time.wallClock))
            log.write(
                LogLine(.info, "\(answer.fences.count) fences from the cache are monitored"))
        } catch {
            log.write(LogLine(.error, "the stored fences cannot be read: \(error)"))
        }
    }

    /// Puts a question to the fence source.
    func ask(_ request: SyncRequest) {
        log.write(LogLine(.debug, "asking for fences (\(request.reason.rawValue))"))
        requestSync(
            FenceQuery(
                position: request.position, accuracyMeters: request.accuracyMeters,
                limit: pipeline.rules.fenceLimit, pool: request.pool,
                entityTag: source.origin == .none ? nil : source.entityTag))
    }

    /// Takes in how a question for fences ended.
    func take(_ outcome: FenceFetchOutcome, for query: FenceQuery) {
        defer { source.checkedAt = time.uptime }
        switch outcome {
        case .fresh(let answer): apply(answer)
        case .notModified(let coverage):
            source.failure = nil
            source.origin = .server
            settle(
                pipeline.syncSucceeded(
                    coverage, answer: nil, at: time.uptime, wallClock: time.wallClock))
        case .failed(let failure):
            if failure != source.failure {
                log.write(LogLine(.warning, "no fences: \(failure.message)"))
            }
            source.failure = failure
            pipeline.syncFailed(failure, at: time.uptime, random: .random(in: 0..<1))
        }
    }

    private func apply(_ answer: FenceAnswer) {
        let isFirst = source.origin != .server
        source = FenceSourceState(
            origin: .server, configuration: answer.configuration, entityTag: answer.entityTag)
        let output = pipeline.syncSucceeded(
            answer.coverage, answer: answer, at: time.uptime, wallClock: time.wallClock)
        settle(
            output,
            values: [
                .fences: answer.document,
                .fencesTag: answer.entityTag.map { Array($0.utf8) },
            ])
        applyUploadPolicy()
        log.write(
            LogLine(isFirst ? .notice : .info, "\(answer.fences.count) fences from the server"))
    }

    private func stored(_ key: StateKey) -> [UInt8]? {
        do throws(QueueError) {
            return try queue.state(key)
        } catch {
            log.write(LogLine(.error, "storage: \(error)"))
            return nil
        }
    }
}
