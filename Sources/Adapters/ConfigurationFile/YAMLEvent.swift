import CYAML

/// One step through a document, copied out of libyaml's memory.
struct YAMLEvent {
    enum Kind {
        case streamStart, streamEnd, documentStart, documentEnd
        case scalar(String, isPlain: Bool)
        case sequenceStart, sequenceEnd, mappingStart, mappingEnd
        case alias
    }

    let kind: Kind
    let mark: SourceMark
    /// An alias, or a value that could be one's target.
    let isAnchored: Bool
    let isTagged: Bool

    init(_ event: yaml_event_t) {
        mark = SourceMark(event.start_mark)
        var anchor: UnsafeMutablePointer<yaml_char_t>?
        var tag: UnsafeMutablePointer<yaml_char_t>?
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            kind = .scalar(
                String(decoding: bytes, as: UTF8.self),
                isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
            (anchor, tag) = (scalar.anchor, scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            kind = .sequenceStart
            (anchor, tag) = (event.data.sequence_start.anchor, event.data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT:
            kind = .mappingStart
            (anchor, tag) = (event.data.mapping_start.anchor, event.data.mapping_start.tag)
        case YAML_ALIAS_EVENT:
            kind = .alias
            anchor = event.data.alias.anchor
        case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        case YAML_STREAM_START_EVENT: kind = .streamStart
        default: kind = .streamEnd
        }
        isAnchored = anchor != nil
        isTagged = tag != nil
    }
}

extension SourceMark {
    /// libyaml counts from 0.
    init(_ mark: yaml_mark_t) {
        self.init(line: mark.line + 1, column: mark.column + 1)
    }
}
