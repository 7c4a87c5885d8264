"""An HTTP proxy between agent and server that loses answers after the server has committed."""
import gzip
import http.client
import http.server
import json
import random
import socket
import struct
import threading

BATCH = "/v1/events/batch"
UPSTREAM_TIMEOUT_S = 120
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "te", "upgrade"}


class FaultProxy:
    """Passes everything on; of some batches, chosen by a seed, the answer never arrives.

    The request goes through and the answer is read to its end, so the server has committed; then the
    connection is reset.  The next answer about the same events must say `duplicate`.
    """

    def __init__(self, upstream_port, drops, seed):
        self.upstream_port = upstream_port
        # Among the first batches: every drive has so many.
        self.drop_at = set(random.Random(seed).sample(range(1, max(2, 2 * drops) + 1), drops))
        self.lock = threading.Lock()
        self.batches = self.dropped = self.accepted = self.duplicates = self.unreachable = 0
        self.refused = []
        proxy = self

        class Handler(Exchange):
            owner = proxy

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def loses(self, path, status, body):
        """Counts an answer; True when it must not arrive."""
        if path.split("?")[0] != BATCH:
            return False
        with self.lock:
            if status != 200:
                self.refused.append((status, body[:200].decode(errors="replace")))
                return False
            results = json.loads(body).get("results", [])
            self.batches += 1
            lost = self.batches in self.drop_at
            self.dropped += lost
            self.accepted += sum(row["status"] == "accepted" for row in results)
            self.duplicates += sum(row["status"] == "duplicate" for row in results)
            self.refused += [(status, json.dumps(row)) for row in results
                             if row["status"] not in ("accepted", "duplicate")]
            return lost


class Exchange(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def relay(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in HOP_BY_HOP}
        upstream = http.client.HTTPConnection(
            "127.0.0.1", self.owner.upstream_port, timeout=UPSTREAM_TIMEOUT_S)
        try:
            upstream.request(self.command, self.path, body, headers)
            answer = upstream.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            # The server is down: so is the line.
            with self.owner.lock:
                self.owner.unreachable += 1
            self.reset()
            return
        finally:
            upstream.close()
        plain = gzip.decompress(content) if answer.getheader("Content-Encoding") == "gzip" \
            else content
        if self.owner.loses(self.path, answer.status, plain):
            self.reset()
            return
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD" and answer.status not in (204, 304):
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = relay

    def reset(self):
        """Ends the connection with RST rather than an orderly FIN."""
        self.close_connection = True
        self.connection.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # The agent was killed in the middle of a request.

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            pass  # Reset above.

    def log_message(self, *_):
        pass
