"""What can go wrong between agent and server, a row each: the faults, and what the agent must make of them.

Where an answer breaks off, how slowly it drips, what a Retry-After says, which event is to blame and in
which order faults come is drawn from a seed.
"""
import dataclasses
import datetime
import email.utils
import gzip
import json
import os
import random
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
    # The first connections, of any kind, are reset when so many bytes of a request have come.
    cut_requests: list = ()
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


def cut(exchange, receipt, share=0.5):
    exchange.answer_in_part(receipt, share)
    exchange.close()


def cut_by_reset(exchange, receipt, share=0.5):
    exchange.answer_in_part(receipt, share)
    time.sleep(0.2)
    exchange.reset()


def cut_and_silent(exchange, receipt, share=0.5):
    exchange.answer_in_part(receipt, share)
    exchange.hang()


def cut_with_right_length(exchange, receipt, share=0.5):
    body = json.dumps(receipt).encode()
    exchange.answer(200, body[:1 + int(share * (len(body) - 1))])


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


def keep(exchange, receipt):
    exchange.hang()


def drip(exchange, receipt, pace_s=0.5):
    """More than a byte a second: never so slow that it counts as stalled, and never done."""
    body = json.dumps(receipt).encode()
    exchange.answer(200, length=len(body))
    try:
        for byte in body:
            exchange.raw(bytes([byte]))
            time.sleep(pace_s)
    except OSError:
        pass
    exchange.close()


def at(spoil, drawn):
    """A spoilt answer with what was drawn for it: a share of its bytes, or a pace."""
    return delivered(lambda exchange, receipt: spoil(exchange, receipt, drawn))


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
    """A server that refuses every batch with the event `seq`, and may say that it is to blame. Either way the
    event is offered alone once more: its first batch has ten events or more, which singles it out."""
    alone = []

    def rule(exchange):
        if seq not in exchange.seqs:
            return None
        problem = {"status": 400, "code": "invalid_event", "errors": [
            {"pointer": "/events/0/type", "code": "c", "detail": "d"}] if blames else []}

        def fault(exchange):
            if len(exchange.seqs) == 1:
                alone.append(seq)
                exchange.line.buried += len(alone) == 2
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


def retry_after(draw):
    def seconds():
        number = draw.randint(2, 5)
        return number, number, 1.1 * number

    def dated(name, form=None, change=lambda text: text, date=NOW):
        number, least, most = seconds()
        text = http_date(number, form) if form else http_date(number)
        return asked(f"{name}, {number} s on", change(text), least, most, date)

    number, least, most = seconds()
    return [
        asked("missing", None),
        asked(f"{number} seconds", str(number), least, most),
        asked(f"{number} seconds, with zeros and blanks", f"  {number:0{draw.randint(2, 9)}d} ", least, most),
        asked("0", "0", 1, 1.1),
        dated("a date"),
        dated("a date of RFC 850", "%A, %d-%b-%y %H:%M:%S GMT", lambda text: text.replace("-94 ", "-31 "),
              NOW.replace("1994", "2031")),
        dated("a date of asctime", "%a %b %d %H:%M:%S %Y"),
        asked("a date in the past", http_date(-draw.randint(1, 9999) * DAY_S // 2), 1, 1.1, NOW),
        asked("a date without a Date",
              email.utils.formatdate(time.time() + draw.randint(600, 90_000), usegmt=True)),
        asked("negative", str(-draw.randint(1, 99))),
        asked("words", draw.choice(["soon", "later", "never", "1 minute", "0x10", "PT30S"])),
        asked("a fraction", f"{draw.uniform(1, 9):.1f}"),
        asked("400 digits", "9" * 400),
        asked_too_much("absurd", str(draw.randint(2, 9)) * draw.randint(8, 30)),
        asked_too_much(f"a date of the year {(year := draw.randint(2100, 9999))}",
                       f"{weekday(year)}, 31 Dec {year} 23:59:59 GMT", NOW),
    ]


def weekday(year):
    return datetime.date(year, 12, 31).strftime("%a")


def statuses(draw):
    return [
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
        Row("400 for one event, which is to blame", rule=poison(draw.randint(1, 9), True), dead=1, most_tries=40),
        Row("400 for one event, which nobody blames", rule=poison(draw.randint(1, 9), False), dead=1, most_tries=40),
        Row("413 for more than a few events", rule=at_most(draw.randint(2, 5)), most_tries=60),
    ]


def false_receipts(draw):
    return [
        Row("200 with a portal's HTML", [portal] * 2, "captivePortal", [(1, 2), (1, 4)]),
        Row("200 with nothing, with other JSON", [empty, other_json], "captivePortal"),
        Row("301, 302, 303 to somewhere that answers", [redirect(status) for status in (301, 302, 303)], "captivePortal"),
        Row("307, 308 to somewhere that answers", [redirect(307), redirect(308)], "captivePortal"),
        Row("a receipt with another batch id", [with_id("someone-elses-1"), with_id(None)], "captivePortal", duplicates=1),
        Row("a receipt without batch id, without results", [without("batch_id"), without("results")], "captivePortal",
            duplicates=1),
        Row("a receipt as 201, as 202", [changed(lambda _: None, 201), changed(lambda _: None, 202)], "captivePortal",
            duplicates=1),
        Row("a receipt as 203, as 206", [changed(lambda _: None, 203), changed(lambda _: None, 206)], "captivePortal",
            duplicates=1),
        Row("a receipt as text/html, without a type",
            [changed(lambda _: None, kind="text/html"), changed(lambda _: None, kind=None)], "captivePortal", duplicates=1),
        Row("a receipt and rubbish after it, and in a list",
            [changed(lambda receipt: json.dumps(receipt).encode() + b"}"), changed(lambda receipt: [receipt])], "captivePortal",
            duplicates=1),
        Row("a receipt for events that were not sent", [changed(foreign)], "serverBusy", leap=(60, 60), others_go=True,
            duplicates=1),
        Row("204 and 304", [say(204), lambda exchange: exchange.raw(b"HTTP/1.1 304 Not Modified\r\n\r\n")], "captivePortal"),
    ]


def bodies(draw):
    return [
        Row("the answer never comes after the commit", [delivered(keep)], "serverBusy", duplicates=1),
        Row("the answer is dropped after the commit", [delivered(drop)] * 2, "serverBusy", duplicates=1),
        Row("the answer is cut, by FIN and by RST", [at(cut, draw.random()), at(cut_by_reset, draw.random())],
            "captivePortal", duplicates=1),
        Row("the answer is cut, of the right length", [at(cut_with_right_length, draw.random())], "captivePortal", duplicates=1),
        Row("the answer lacks a byte, a last chunk", [delivered(cut_without_length), delivered(cut_chunks)], "captivePortal",
            duplicates=1),
        Row("a black hole in the midst of the answer", [at(cut_and_silent, draw.random())], "captivePortal", duplicates=1),
        Row("an answer that drips", [at(drip, draw.uniform(0.25, 0.9))], "captivePortal", duplicates=1),
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


def connections(draw):
    return [
        Row("nobody listens", silence="refuse", states="connectFailed"),
        Row("nobody answers a SYN", silence="swallow", states="connectFailed"),
        Row("reset before an answer", [reset] * 3, "serverBusy"),
        Row("reset in the midst of a request", cut_requests=[draw.randint(1, 600) for _ in range(6)]),
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

# Faults that are over soon, for series in any order. What the agent says of each is told by the rows above.
PASSING = {
    "portal": portal, "empty": empty, "other JSON": other_json, "302": redirect(302), "reset": reset, "end": end,
    "101": switching, "SSH": other_protocol, "503": say(503, PORTAL), "408": say(408, PORTAL), "511": say(511, PORTAL),
    "400": say(400, PORTAL),
}
# The same, where the server has stored the events.
STORED = {
    "dropped": delivered(drop), "other id": with_id("someone-elses-1"), "as 202": changed(lambda _: None, 202),
    "no type": changed(lambda _: None, kind=None), "no gzip": delivered(no_gzip), "no last chunk": delivered(cut_chunks),
    "rubbish gzip": delivered(garbage_gzip),
}


def series(draw):
    """Faults after faults, at least one of them with a batch that is stored."""
    rows = []
    for number in range(4):
        names = draw.sample(sorted(PASSING), 2) + [draw.choice(sorted(STORED))] + [f"cut at {draw.random():.3f}"]
        draw.shuffle(names)
        faults = [at(draw.choice([cut, cut_by_reset]), float(name.split()[-1])) if name.startswith("cut at")
                  else PASSING.get(name) or STORED[name] for name in names]
        rows.append(Row(f"{number + 1}: {', '.join(names)}", faults, duplicates=1))
    return rows


def shuffled(rows, draw):
    """The faults of a row come in any order; what the agent says is the same after each of them."""
    for row in rows:
        row.faults = draw.sample(row.faults, len(row.faults))
    return rows


def rows(seed):
    """The slow ones first, so that all end at about the same time."""
    draw = random.Random(seed)
    found = connections(draw) + bodies(draw) + TLS + retry_after(draw)[::-1] + statuses(draw) + RECEIPTS
    return shuffled(found + false_receipts(draw), draw) + series(draw)
