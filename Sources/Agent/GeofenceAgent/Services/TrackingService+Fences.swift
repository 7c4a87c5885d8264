import Delivery
import Geofencing
import Timekeeping
import WireFormat

extension TrackingService {
    /// The network changed: a failed sync need not wait for its time.
    func networkChanged(hasRoute: Bool) {
        pipeline.networkChanged(
            hasRoute: hasRoute, at: time.uptime, random: .random(in: 0..<1))
    }

    /// Reads the pipeline's state; one that cannot be read is a loss that the journal names.
    func restorePipeline() {
        guard let bytes = stored(.pipeline) else { return }
        do throws(WireError) {
            var state = try WireCoding.decode(PipelineState.self, from: bytes)
            let whole = addSnapshot(to: &state)
            record(.restart(state: whole ?? bytes), at: time.uptime)
            pipeline = TrackingPipeline(
                rules: settings.rules, bootID: bootID, restoring: state, syncingFrom: syncStart)
        } catch {
            log.write(LogLine(.error, "the stored tracker state cannot be read: \(error)"))
        }
    }

    /// Adds what a process of this boot left that was killed, gives the state with it, and says which
    /// restart this is; nil: there is nothing to add.
    private func addSnapshot(to state: inout PipelineState) -> [UInt8]? {
        guard state.bootID == bootID.text else { return nil }
        if let content = state.token.flatMap({ snapshots?.find($0) }) {
            var whole = state
            whole.snapshot = SnapshotBytes(content)
            if (try? whole.snapshot?.read()) != nil, let bytes = try? WireCoding.encode(whole) {
                state = whole
                log.write(LogLine(.notice, "goes on where the process before was: nothing is lost"))
                return bytes
            }
        }
        log.write(
            LogLine(
                .notice, "goes on from the state that was stored last: the restart is an outage"))
        return nil
    }

    /// Monitors the fences of the configuration or of the cache, before there is a network.
    func restoreFences() {
        if let fences = settings.fixedFences {
            source.origin = .file
            take(settings.notifications.fixed)
            let now = time.uptime
            record(pipeline.wholeSet(fences), configuration: nil, at: now)
            settle(pipeline.replaceFences(fences, at: now, wallClock: time.wallClock))
            return
        }
        guard let bytes = stored(.fences) else { return monitorLocalFences() }
        do throws(WireError) {
            let tag = stored(.fencesTag).map { String(decoding: $0, as: UTF8.self) }
            let answer = try WireCoding.decode(NearestAnswer.self, from: bytes)
                .fenceAnswer(document: bytes, entityTag: tag)
            source.origin = .cache
            source.entityTag = tag
            source.configuration = answer.configuration
            source.syncID = answer.coverage.syncID
            take(try NoticeSet(answer: bytes))
            let kept = storedKeptFences(of: answer)
            let now = time.uptime
            record(
                pipeline.wholeSet(answer.fences) + kept, configuration: answer.configuration,
                at: now)
            settle(
                pipeline.restoreFences(
                    answer.fences, keeping: kept, configuration: answer.configuration, at: now,
                    wallClock: time.wallClock))
            source.note = Self.note(answer)
            log.write(
                LogLine(.info, "\(answer.fences.count) fences from the cache are monitored"))
        } catch {
            log.write(LogLine(.error, "the stored fences cannot be read: \(error)"))
            monitorLocalFences()
        }
    }

    /// Monitors what was added on the device, where nothing else is known.
    private func monitorLocalFences() {
        guard !pipeline.localFences.isEmpty else { return }
        let now = time.uptime
        record(pipeline.localFences, configuration: nil, at: now)
        settle(pipeline.replaceFences([], at: now, wallClock: time.wallClock))
    }

    /// Puts a question to the fence source.
    func ask(_ request: SyncRequest) {
        log.write(LogLine(.debug, "asking for fences (\(request.reason.rawValue))"))
        requestSync(query(for: request))
    }

    func query(for request: SyncRequest) -> FenceQuery {
        FenceQuery(
            position: request.position, accuracyMeters: request.accuracyMeters,
            // Also while the server wants none monitored: else it could never say otherwise.
            limit: max(1, min(pipeline.rules.fenceLimit, request.pool)), pool: request.pool,
            entityTag: source.origin == .none ? nil : source.entityTag)
    }

    /// Takes in how a question for fences ended.
    ///
    /// `notices` are those of the answer; nil: they are read here.
    func take(
        _ outcome: FenceFetchOutcome, for query: FenceQuery, notices: NoticeSet? = nil
    ) {
        defer {
            source.checkedAt = time.uptime
            fencesAsked(source.failure)
        }
        recorder?.record(
            serverAnswers: outcome.isAnswer, at: time.uptime, utc: utc(at: time.uptime))
        switch outcome {
        case .fresh(let answer): apply(answer, notices)
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

    private func apply(_ answer: FenceAnswer, _ notices: NoticeSet?) {
        let isFirst = source.origin != .server
        let note = Self.note(answer)
        if let note, note != source.note { log.write(LogLine(.warning, note)) }
        source = FenceSourceState(
            origin: .server, configuration: answer.configuration, entityTag: answer.entityTag,
            note: note)
        take(notices ?? ((try? NoticeSet(answer: answer.document)) ?? NoticeSet()))
        let now = time.uptime
        let output = pipeline.syncSucceeded(
            answer.coverage, answer: answer, at: now, wallClock: time.wallClock)
        record(pipeline.wholeSet(answer.fences), configuration: answer.configuration, at: now)
        source.syncID = answer.coverage.syncID
        var values = keptFenceValues()
        values[.fences] = .some(answer.document)
        values[.fencesTag] = .some(answer.entityTag.map { Array($0.utf8) })
        settle(output, values: values.filter { !isStored($0.value, as: $0.key) })
        applyUploadPolicy()
        log.write(
            LogLine(isFirst ? .notice : .info, "\(answer.fences.count) fences from the server"))
    }

    /// What a person should know of an answer that holds fewer fences than could be monitored.
    private static func note(_ answer: FenceAnswer) -> String? {
        let limit = answer.configuration.fenceLimit ?? RegionBudget.limit
        guard let radius = answer.coverage.coverageRadiusMeters, answer.fences.count < limit else {
            return nil
        }
        return "only \(answer.fences.count) of the nearest \(limit) fences fit into an answer, "
            + "which holds for \(Int(min(radius, 1e9))) m"
    }

    func stored(_ key: StateKey) -> [UInt8]? {
        do throws(QueueError) {
            return try queue.state(key)
        } catch {
            log.write(LogLine(.error, "storage: \(error)"))
            return nil
        }
    }
}
