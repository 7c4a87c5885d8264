"""The line between one agent and the server: it relays requests, and spoils those that it is told to.

A fault is a function of an `Exchange`; it answers (or does not) in the place of the server.  Everything
is done on raw sockets, so that a fault can be anything that a network can do.
"""
import gzip
import http.client
import json
import socket
import ssl
import struct
import threading
import time

BATCH = "/v1/events/batch"
UPSTREAM_TIMEOUT_S = 60
GREATEST_REQUEST = 4 << 20


class Hung(Exception):
    """The fault is over; the connection is left as it is until the other side gives up."""


class Closed(Exception):
    """The fault is over; the connection ends in order."""


class Request:
    def __init__(self, head, body):
        line, *fields = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = line.split(" ", 2)
        self.headers = dict((name.lower(), value.strip()) for name, value in
                            (field.split(":", 1) for field in fields if field))
        self.body = body

    @property
    def batch(self):
        """The document of a batch of events; None: it is none."""
        if self.path != BATCH:
            return None
        plain = gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body
        return json.loads(plain)


class Exchange:
    """One request on one connection, and what may be done to it."""

    def __init__(self, line, connection, request):
        self.line, self.connection, self.request = line, connection, request
        self.batch = request.batch

    @property
    def seqs(self):
        return [event["seq"] for event in self.batch["events"]]

    def relay(self):
        """Takes the request to the server: status, headers, plain body. The server has committed then."""
        upstream = http.client.HTTPConnection("127.0.0.1", self.line.upstream, timeout=UPSTREAM_TIMEOUT_S)
        try:
            kept = {name: value for name, value in self.request.headers.items()
                    if name not in ("connection", "content-length", "host", "accept-encoding")}
            upstream.request(self.request.method, self.request.path, self.request.body or None, kept)
            answer = upstream.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            upstream.close()

    def receipt(self):
        """The server's answer to a batch, as a document that may be changed."""
        status, _, body = self.relay()
        if status != 200:
            raise ValueError(f"the server answered {status}: {body[:300]}")
        return json.loads(body)

    def grant(self, receipt):
        """The agent may believe this receipt."""
        words = [result["status"] for result in receipt["results"]]
        self.line.granted += sum(word in ("accepted", "duplicate") for word in words)
        self.line.duplicates += words.count("duplicate")
        self.line.buried += words.count("rejected")
        seqs = {event["client_event_id"]: event["seq"] for event in self.batch["events"]}
        self.line.tries[-1].settled |= {seqs[result["client_event_id"]] for result in receipt["results"]}

    def raw(self, data):
        self.connection.sendall(data)

    def answer(self, status, body=b"", kind="application/json", headers=(), length=None):
        """One whole answer; `length` replaces the true one."""
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        fields = [f"HTTP/1.1 {status} {http.client.responses.get(status, 'Odd')}"]
        fields += [f"Content-Type: {kind}"] if kind else []
        fields += [f"{name}: {value}" for name, value in headers]
        fields += [] if length == "none" else [f"Content-Length: {len(body) if length is None else length}"]
        self.raw("\r\n".join(fields).encode() + b"\r\n\r\n" + body)

    def answer_in_part(self, receipt, share):
        """The head and the first bytes of the body: at least one of them, and never all."""
        body = json.dumps(receipt).encode()
        self.answer(200, body[:1 + int(share * (len(body) - 2))], length=len(body))

    def pass_on(self):
        status, headers, body = self.relay()
        if self.batch and status == 200:
            self.grant(json.loads(body))
        kept = [(name, value) for name, value in headers.items()
                if name.lower() not in ("content-length", "content-type", "connection", "transfer-encoding")]
        self.answer(status, body, headers.get("Content-Type"), kept)

    def reset(self):
        """RST instead of an orderly end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        raise Closed

    def close(self):
        raise Closed

    def hang(self):
        raise Hung


class Try:
    """One batch of events that reached the line."""

    def __init__(self, began, seqs, fault):
        self.began, self.seqs, self.fault = began, seqs, fault
        self.ended = None
        # Of which events the agent may believe the answer.
        self.settled = set()


class FaultLine:
    """Listens for one agent. The faults are used up one after the other by batches that hold events; then all
    is passed on."""

    def __init__(self, upstream, faults=(), rule=None, context=None, before=lambda: None,
                 cut_requests=()):
        """`rule` gives the fault for an exchange, or None, as long as the line exists; `before` is called when
        a batch has come and nothing has been done with it; `context` is that of TLS. The first connections are
        reset after as many bytes as `cut_requests` says."""
        self.upstream, self.faults = upstream, list(faults)
        self.rule, self.context, self.before = rule, context, before
        self.cut_requests = list(cut_requests)
        # Events that the agent may take for received, and for refused for good.
        self.granted = self.duplicates = self.buried = 0
        self.lock = threading.Lock()
        self.tries, self.strays, self.errors = [], 0, []
        self.others = []
        self.clean = threading.Event()
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.closed = False

    def listen(self):
        self.socket.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def swallow(self):
        """With its backlog full the kernel drops every further SYN."""
        self.socket.listen(0)
        for _ in range(4):
            other = socket.socket()
            other.setblocking(False)
            other.connect_ex(("127.0.0.1", self.port))
            self.others.append(other)

    def mend(self, context=None):
        """From now on nothing is wrong."""
        with self.lock:
            self.faults, self.context = [], context
        self.clean.set()

    def close(self):
        self.closed = True
        for each in (*self.others, self.socket):
            each.close()

    def accept(self):
        while not self.closed:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.settimeout(120)
        try:
            with self.lock:
                bytes_left = self.cut_requests.pop(0) if self.cut_requests else None
            if bytes_left is not None:
                while bytes_left > 0 and (piece := connection.recv(bytes_left)):
                    bytes_left -= len(piece)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            if self.context is not None:
                connection = self.context.wrap_socket(connection, server_side=True)
            while (request := self.read(connection)) is not None:
                self.take(Exchange(self, connection, request))
        except Hung:
            self.wait_for_the_end(connection)
        except (Closed, OSError, ssl.SSLError):
            pass
        except Exception as error:  # What is wrong with a row is to be seen in its line.
            self.errors.append(f"{type(error).__name__}: {error}")
        finally:
            connection.close()

    @staticmethod
    def wait_for_the_end(connection):
        try:
            while connection.recv(65536):
                pass
        except OSError:
            pass

    @staticmethod
    def read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece or len(data) > GREATEST_REQUEST:
                return None
            data += piece
        head, body = data.split(b"\r\n\r\n", 1)
        length = int(next((line.split(b":")[1] for line in head.split(b"\r\n")
                           if line.lower().startswith(b"content-length:")), b"0"))
        while len(body) < length:
            piece = connection.recv(65536)
            if not piece:
                return None
            body += piece
        return Request(head, body)

    def take(self, exchange):
        holds_events = bool(exchange.batch and exchange.batch["events"])
        if exchange.request.path.startswith("/elsewhere"):
            self.strays += 1
        fault = None
        if holds_events:
            # Before this one is answered, what the one before did can be seen.
            self.before()
        with self.lock:
            if self.faults and holds_events:
                fault = self.faults.pop(0)
            elif self.rule and holds_events:
                fault = self.rule(exchange)
            if holds_events:
                self.tries.append(Try(time.monotonic(), set(exchange.seqs), fault is not None))
            if fault is None and holds_events:
                self.clean.set()
        try:
            (fault or Exchange.pass_on)(exchange)
        finally:
            if holds_events:
                self.tries[-1].ended = time.monotonic()
