"""What can go wrong between agent and server, a row each: the faults, and what the agent must make of them."""
import dataclasses
import email.utils
import gzip
import json
import os
import time

KIB = 1024
# What a receipt may hold.
BODY_LIMIT = 256 * KIB
DAY_S = 86_400


@dataclasses.dataclass
class Row:
    """`faults` are used up by batches with events; `states` says how the server is found after each of them
    (one for all: a text). `waits` are the seconds from the end of each faulty answer to the next try."""
    name: str
    faults: list = ()
    states: object = None
    waits: list = ()
    # Faults hit all requests, not only batches with events.
    everything: bool = False
    # The agent's seconds between a faulty answer and the next try; the time since the boot is set ahead.
    leap: tuple = None
    # Meanwhile other events may go.
    others_go: bool = False
    # A person asks for an upload after each fault.
    flush: bool = False
    # What holds for every batch, instead of faults.
    rule: object = None
    # Events that must end as dead letters.
    dead: int = 0
    # Batches with events at most; None: any number.
    most_tries: int = None
    # Events that the server must call duplicates, at least.
    duplicates: int = 0
    # Nothing listens | nothing answers a SYN.
    silence: str = ""
    # How the line is encrypted at first, and afterwards; the names of certificates.
    tls: tuple = ()
    # Configuration lines of the server at first, and afterwards (by SIGHUP).
    settings: tuple = ("", "")
    # The host at first.
    host: str = ""
    # The clock of the agent at first: seconds off and whether it is synchronised.
    clock: tuple = None
    # The agent is started again, with a right clock.
    restart: bool = False


def say(status, body=b"", kind="text/html", headers=(), length=None):
    return lambda exchange: exchange.answer(status, body, kind, headers, length)


# Answers to a batch that the server has never seen.

PORTAL = b"<html><body>Welcome to the free network. Please log in.</body></html>"


def portal(exchange):
    exchange.answer(200, PORTAL, "text/html")


def empty(exchange):
    exchange.answer(200, b"", "application/json")


def other_json(exchange):
    exchange.answer(200, {"status": "ok"})


def reset(exchange):
    exchange.reset()


def end(exchange):
    exchange.close()


def hang(exchange):
    exchange.hang()


def continued_and_hung(exchange):
    exchange.raw(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n")
    exchange.hang()


def switching(exchange):
    exchange.raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
    exchange.close()


def other_protocol(exchange):
    exchange.raw(b"SSH-2.0-OpenSSH_9.2p1\r\n")
    exchange.close()


def redirect(status):
    return lambda exchange: exchange.answer(
        status, PORTAL, "text/html", [("Location", f"http://127.0.0.1:{exchange.line.port}/elsewhere/v1/events/batch")])


# Answers to a batch that the server has stored: what the agent must not believe, or believe in part only.

def delivered(spoil):
    """The server commits; `spoil` makes the answer."""
    def fault(exchange):
        spoil(exchange, exchange.receipt())
    return fault


def changed(change, status=200, kind="application/json"):
    """A receipt with something changed, of which nothing may be believed."""
    def spoil(exchange, receipt):
        changed_one = change(receipt)
        exchange.answer(status, receipt if changed_one is None else changed_one, kind)
    return delivered(spoil)


def without(name):
    return changed(lambda receipt: receipt.pop(name) and None)


def with_id(value):
    return changed(lambda receipt: receipt.update(batch_id=value))


def foreign(receipt):
    receipt["results"] = [dict(result, client_event_id=f"00000000-0000-8000-8000-{index:012d}")
                          for index, result in enumerate(receipt["results"])]


def cut(exchange, receipt):
    body = json.dumps(receipt).encode()
    exchange.answer(200, body[:len(body) // 2], length=len(body))
    exchange.close()


def cut_by_reset(exchange, receipt):
    body = json.dumps(receipt).encode()
    exchange.answer(200, body[:len(body) // 2], length=len(body))
    time.sleep(0.2)
    exchange.reset()


def cut_and_silent(exchange, receipt):
    body = json.dumps(receipt).encode()
    exchange.answer(200, body[:len(body) // 2], length=len(body))
    exchange.hang()


def cut_with_right_length(exchange, receipt):
    body = json.dumps(receipt).encode()
    exchange.answer(200, body[:len(body) // 2])


def cut_without_length(exchange, receipt):
    body = json.dumps(receipt).encode()
    exchange.answer(200, body[:-1], length="none")
    exchange.close()


def cut_chunks(exchange, receipt):
    body = json.dumps(receipt).encode()
    exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                 + f"{len(body):x}\r\n".encode() + body + b"\r\n")
    exchange.close()


def drop(exchange, receipt):
    exchange.reset()


def drip(exchange, receipt):
    """Two bytes a second: never so slow that it counts as stalled, and never done."""
    body = json.dumps(receipt).encode()
    exchange.answer(200, length=len(body))
    try:
        for byte in body:
            exchange.raw(bytes([byte]))
            time.sleep(0.5)
    except OSError:
        pass
    exchange.close()


def garbage_gzip(exchange, receipt):
    exchange.answer(200, b"\x1f\x8b" + os.urandom(200), headers=[("Content-Encoding", "gzip")])


def cut_gzip(exchange, receipt):
    body = gzip.compress(json.dumps(receipt).encode())
    exchange.answer(200, body[:-12], headers=[("Content-Encoding", "gzip")])


def no_gzip(exchange, receipt):
    exchange.answer(200, receipt, headers=[("Content-Encoding", "gzip")])


def other_encoding(exchange, receipt):
    exchange.answer(200, receipt, headers=[("Content-Encoding", "zstd")])


def long_receipt(exchange, receipt):
    body = json.dumps(receipt).encode()
    exchange.answer(200, body + b" " * (BODY_LIMIT + 1 - len(body)))


def bomb(exchange, receipt):
    body = json.dumps(receipt).encode() + b" " * (64 * KIB * KIB)
    exchange.answer(200, gzip.compress(body), headers=[("Content-Encoding", "gzip")])


def endless(exchange, receipt):
    exchange.answer(200, json.dumps(receipt).encode(), length="none")
    try:
        while True:
            exchange.raw(b" " * 65536)
    except OSError:
        pass
    exchange.close()


# Receipts that are to be believed, in odd forms.

def twice_promised(exchange, receipt):
    """Early hints and a 100 before the receipt, which comes in chunks."""
    exchange.grant(receipt)
    body = json.dumps(receipt).encode()
    half = len(body) // 2
    exchange.raw(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Type: text/html\r\n\r\n"
                 b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    for piece in (body[:half], body[half:], b""):
        exchange.raw(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")


def as_long_as_allowed(exchange, receipt):
    exchange.grant(receipt)
    body = json.dumps(receipt).encode()
    exchange.answer(200, body + b" " * (BODY_LIMIT - len(body)))


def one_missing(exchange, receipt):
    receipt["results"].pop(0)
    exchange.grant(receipt)
    exchange.answer(200, receipt)


def said_twice(exchange, receipt):
    first = receipt["results"].pop(0)
    exchange.grant(receipt)
    receipt["results"] += [first, dict(first, status="rejected", code="changed_its_mind")]
    exchange.answer(200, receipt)


def unknown_word(exchange, receipt):
    first = receipt["results"].pop(0)
    exchange.grant(receipt)
    receipt["results"].append(dict(first, status="considered"))
    exchange.answer(200, receipt)


def deferred(exchange, receipt):
    first = receipt["results"].pop(0)
    exchange.grant(receipt)
    receipt["results"].append(dict(first, status="deferred", retry_after_s=120))
    exchange.answer(200, receipt)


def rejected(exchange):
    """The server has not seen these; it says no to the first and does not mention the others."""
    receipt = {"batch_id": exchange.batch["batch_id"], "results": [
        {"client_event_id": exchange.batch["events"][0]["client_event_id"], "status": "rejected", "code": "invalid"}]}
    exchange.grant(receipt)
    exchange.answer(200, receipt)


# Rules

def poison(seq, blames):
    """A server that refuses every batch with the event `seq`, and may say that it is to blame."""
    def rule(exchange):
        if seq not in exchange.seqs:
            return None
        problem = {"status": 400, "code": "invalid_event", "errors": [
            {"pointer": "/events/0/type", "code": "c", "detail": "d"}] if blames else []}

        def fault(exchange):
            if len(exchange.seqs) == 1:
                exchange.line.buried += 1
            exchange.answer(400, problem, "application/problem+json")
        return fault
    return rule


def at_most(count):
    return lambda exchange: say(413, PORTAL) if len(exchange.seqs) > count else None


# Retry-After

def http_date(offset_s, form="%a, %d %b %Y %H:%M:%S GMT"):
    """A moment of 1994: no clock of today has anything to do with it."""
    return time.strftime(form, time.gmtime(784_111_777 + offset_s))


def busy(status, value, date=None):
    fields = [("Retry-After", value)] if value is not None else []
    return say(status, PORTAL, headers=fields + ([("Date", date)] if date else []))


def asked(name, value, least=1, most=1, date=None):
    """A 429, and after it a 503. Where no limit is given, the backoff is all there is."""
    waits = [(least, max(most, 2 * 2 ** index)) for index in range(2)]
    return Row(f"429 and 503, Retry-After {name}", [busy(429, value, date), busy(503, value, date)], "serverBusy", waits)


def asked_too_much(name, value, date=None):
    """Held to an hour and a tenth of it, for the spread."""
    return Row(f"503, Retry-After {name}", [busy(503, value, date)], "serverBusy", leap=(3600, 3960))


NOW = http_date(0)

RETRY_AFTER = [
    asked("missing", None),
    asked("3 seconds", "3", 3, 3.3),
    asked("0", "0", 1, 1.1),
    asked("a date 4 s after the answer's own", http_date(4), 4, 4.4, NOW),
    asked("a date of RFC 850", http_date(4, "%A, %d-%b-%y %H:%M:%S GMT").replace("-94 ", "-31 "), 4, 4.4,
          NOW.replace("1994", "2031")),
    asked("a date of asctime", http_date(4, "%a %b %d %H:%M:%S %Y"), 4, 4.4, NOW),
    asked("a date in the past", http_date(-DAY_S), 1, 1.1, NOW),
    asked("a date without a Date", email.utils.formatdate(time.time() + 3600, usegmt=True)),
    asked("negative", "-5"),
    asked("words", "soon"),
    asked("a fraction", "1.5"),
    asked("400 digits", "9" * 400),
    asked_too_much("absurd", "9" * 30),
    asked_too_much("a date of the year 9999", "Fri, 31 Dec 9999 23:59:59 GMT", NOW),
]

STATUSES = [
    Row("408, 425, 500", [say(408, PORTAL), say(425, PORTAL), say(500, PORTAL)], "serverBusy",
        [(1, 2), (1, 4), (1, 8)]),
    Row("502, 504, 599", [say(502, PORTAL), say(504, PORTAL), say(599, PORTAL)], "serverBusy",
        [(1, 2), (1, 4), (1, 8)]),
    Row("511 of a portal", [say(511, PORTAL)], "captivePortal", [(1, 2)]),
    Row("401, then a probe after 15 minutes", [say(401, PORTAL)], "authenticationFailed", leap=(900, 900)),
    Row("403, then a probe after 15 minutes", [say(403, {"code": "scope"}, "application/problem+json")],
        "authenticationFailed", leap=(900, 900)),
    Row("404, then a probe after an hour", [say(404, PORTAL)], "endpointMismatch", leap=(3600, 3600)),
    Row("405, 410, 415, 426, a person asks after each",
        [say(status, PORTAL) for status in (405, 410, 415, 426)], "endpointMismatch", flush=True),
    Row("400 three times from somebody in between", [say(400, PORTAL)] * 3),
    Row("422 for the whole batch, twice", [say(422, {"code": "invalid"}, "application/problem+json")] * 2),
    Row("400 for one event, which is to blame", rule=poison(5, True), dead=1, most_tries=40),
    Row("400 for one event, which nobody blames", rule=poison(4, False), dead=1, most_tries=40),
    Row("413 for more than three events", rule=at_most(3), most_tries=60),
]

FALSE_RECEIPTS = [
    Row("200 with a portal's HTML", [portal] * 2, "captivePortal", [(1, 2), (1, 4)]),
    Row("200 with nothing, with other JSON", [empty, other_json], "captivePortal"),
    Row("301, 302, 303 to somewhere that answers", [redirect(status) for status in (301, 302, 303)], "captivePortal"),
    Row("307, 308 to somewhere that answers", [redirect(307), redirect(308)], "captivePortal"),
    Row("a receipt with another batch id", [with_id("someone-elses-1"), with_id(None)], "captivePortal", duplicates=1),
    Row("a receipt without batch id, without results", [without("batch_id"), without("results")], "captivePortal", duplicates=1),
    Row("a receipt as 201, as 202", [changed(lambda _: None, 201), changed(lambda _: None, 202)], "captivePortal", duplicates=1),
    Row("a receipt as 203, as 206", [changed(lambda _: None, 203), changed(lambda _: None, 206)], "captivePortal", duplicates=1),
    Row("a receipt as text/html, without a type", [changed(lambda _: None, kind="text/html"), changed(lambda _: None, kind=None)],
        "captivePortal", duplicates=1),
    Row("a receipt and rubbish after it, and in a list",
        [changed(lambda receipt: json.dumps(receipt).encode() + b"}"), changed(lambda receipt: [receipt])], "captivePortal",
        duplicates=1),
    Row("a receipt for events that were not sent", [changed(foreign)], "serverBusy", leap=(60, 60), others_go=True, duplicates=1),
    Row("204 and 304", [say(204), lambda exchange: exchange.raw(b"HTTP/1.1 304 Not Modified\r\n\r\n")], "captivePortal"),
]

BODIES = [
    Row("the answer is dropped after the commit", [delivered(drop)] * 2, "serverBusy", duplicates=1),
    Row("the answer is cut, by FIN and by RST", [delivered(cut), delivered(cut_by_reset)], "captivePortal", duplicates=1),
    Row("the answer is cut, of the right length", [delivered(cut_with_right_length)], "captivePortal", duplicates=1),
    Row("the answer lacks a byte, a last chunk", [delivered(cut_without_length), delivered(cut_chunks)], "captivePortal",
        duplicates=1),
    Row("a black hole in the midst of the answer", [delivered(cut_and_silent)], "captivePortal", duplicates=1),
    Row("an answer that drips", [delivered(drip)], "captivePortal", duplicates=1),
    Row("gzip that is none, is cut", [delivered(garbage_gzip), delivered(cut_gzip)], "captivePortal", duplicates=1),
    Row("plain text called gzip, called zstd", [delivered(no_gzip), delivered(other_encoding)], "captivePortal", duplicates=1),
    Row("a receipt of 256 KiB and a byte", [delivered(long_receipt)], "captivePortal", duplicates=1),
    Row("a receipt that inflates to 64 MiB", [delivered(bomb)], "captivePortal", duplicates=1),
    Row("a receipt without an end", [delivered(endless)], "captivePortal", duplicates=1),
]

RECEIPTS = [
    Row("a receipt after 100 and 103, in chunks", [delivered(twice_promised)], "online"),
    Row("a receipt of just 256 KiB", [delivered(as_long_as_allowed)], "online"),
    Row("no result for one event, then after a minute", [delivered(one_missing)], "online", leap=(60, 60), others_go=True, duplicates=1),
    Row("two results for one event", [delivered(said_twice)], "online", leap=(60, 60), others_go=True, duplicates=1),
    Row("a result of an unknown kind", [delivered(unknown_word)], "online", leap=(60, 60), others_go=True, duplicates=1),
    Row("an event deferred for two minutes", [delivered(deferred)], "online", leap=(120, 120), others_go=True, duplicates=1),
    Row("an event rejected for good", [rejected], "online", leap=(60, 60), others_go=True, dead=1),
]

CONNECTIONS = [
    Row("nobody listens", silence="refuse", states="connectFailed"),
    Row("nobody answers a SYN", silence="swallow", states="connectFailed"),
    Row("reset before an answer", [reset] * 3, "serverBusy", everything=True),
    Row("closed before an answer", [end] * 2, "serverBusy"),
    Row("no answer at all", [hang], "serverBusy"),
    Row("100, 102 and then nothing", [continued_and_hung], "serverBusy"),
    Row("101 to another protocol", [switching]),
    Row("another protocol", [other_protocol]),
    Row("a name that nobody knows", host="no-such-host.invalid", states="dnsFailed"),
]

CA = "ca_file: {certificates}/ca.pem"
CLIENT = CA + ", client_certificate: {certificates}/client.pem, client_key: {certificates}/client.key"
STRANGER = CA + ", client_certificate: {certificates}/stranger.pem, client_key: {certificates}/stranger.key"
SURE = (0, True)

TLS = [
    Row("TLS: all is right", tls=("right", "right"), settings=(CA, CA), clock=SURE),
    Row("TLS: expired", tls=("expired", "right"), settings=(CA, CA), states="tlsFailed", clock=SURE),
    Row("TLS: not yet valid", tls=("early", "right"), settings=(CA, CA), states="tlsFailed", clock=SURE),
    Row("TLS: another host's", tls=("elsewhere", "right"), settings=(CA, CA), states="tlsFailed", clock=SURE),
    Row("TLS: of an unknown authority", tls=("unknown", "right"), settings=(CA, CA), states="tlsFailed", clock=SURE),
    Row("TLS: our authority is not configured", tls=("right", "right"), settings=("", CA), states="tlsFailed", clock=SURE),
    Row("TLS: nobody shakes hands", tls=(None, "right"), settings=(CA, CA), states="tlsFailed", clock=SURE),
    Row("TLS: expired, and nobody vouches for the clock", tls=("expired", "right"), settings=(CA, CA),
        states="clockUnsynchronised", clock=(0, False), flush=True),
    Row("TLS: right, and the clock stands in 1970", tls=("right", "right"), settings=(CA, CA),
        states="clockUnsynchronised", clock=(None, False), restart=True),
    Row("mTLS: with our certificate", tls=("mutual", "mutual"), settings=(CLIENT, CLIENT), clock=SURE),
    Row("mTLS: without a certificate", tls=("mutual", "mutual"), settings=(CA, CLIENT), states="tlsFailed", clock=SURE),
    Row("mTLS: with a stranger's certificate", tls=("mutual", "mutual"), settings=(STRANGER, CLIENT), states="tlsFailed",
        clock=SURE),
]

# The slow ones first, so that all end at about the same time.
ROWS = CONNECTIONS + BODIES + TLS + RETRY_AFTER[::-1] + STATUSES + RECEIPTS + FALSE_RECEIPTS
