"""Connections to a server: raw bytes, and calls of the API."""

import collections
import json
import socket
import ssl

from case import expect, expect_equal

# Long enough for a busy machine; a server that takes longer hangs.
ANSWER_SECONDS = 15

Answer = collections.namedtuple("Answer", "status headers body")


class Closed(Exception):
    """The connection ended before an answer was complete."""


class Wire:
    """One connection. Its answers must be HTTP/1.1, and none may be an internal error."""

    def __init__(self, port, tls=None, address="127.0.0.1"):
        plain = socket.create_connection((address, port), timeout=ANSWER_SECONDS)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = tls.wrap_socket(plain, server_hostname="localhost") if tls else plain
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def answer(self, to_head=False):
        """The next answer. That to a HEAD request has no body."""
        while b"\r\n\r\n" not in self.received:
            self._receive()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        lines = head.decode("ascii").split("\r\n")
        version, status = lines[0].split(" ")[:2]
        expect_equal(version, "HTTP/1.1", "version of the answer")
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        length = 0 if to_head else int(headers.get("content-length", "0"))
        while len(self.received) < length:
            self._receive()
        body, self.received = self.received[:length], self.received[length:]
        expect(int(status) != 500, f"an internal error: {body!r}")
        return Answer(int(status), headers, body)

    def ended(self):
        """Waits until the server closes; whether it did so without sending anything more."""
        try:
            while True:
                self._receive()
        except Closed:
            return not self.received
        except socket.timeout:
            return False

    def _receive(self):
        try:
            data = self.socket.recv(65536)
        except (ConnectionError, ssl.SSLEOFError):
            data = b""
        if not data:
            raise Closed(f"the connection ended after {self.received[:200]!r}")
        self.received += data


def request(method, path, body=None, headers=()):
    """The bytes of one request. `body` is bytes, or anything that JSON can say."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    if body is not None:
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


class Api:
    """Calls of the API over one connection, which is opened again when the server has closed it."""

    def __init__(self, port, token=None, tls=None):
        self.port = port
        self.token = token
        self.tls = tls
        self.wire = None

    def ask(self, method, path, body=None):
        """Any answer, with the body as JSON when it is JSON."""
        headers = [f"Authorization: Bearer {self.token}"] if self.token else []
        if self.wire is None:
            self.wire = Wire(self.port, self.tls)
        try:
            self.wire.send(request(method, path, body, headers))
            answer = self.wire.answer()
        except BaseException:
            self.close()
            raise
        if answer.headers.get("connection") == "close":
            self.close()
        if "json" in answer.headers.get("content-type", ""):
            answer = answer._replace(body=json.loads(answer.body))
        return answer

    def call(self, method, path, body=None):
        """The body of an answer that must be a success."""
        answer = self.ask(method, path, body)
        expect(answer.status // 100 == 2, f"{method} {path}: {answer.status}: {answer.body}")
        return answer.body

    def refused(self, method, path, body, status, code):
        """The problem that the answer must be."""
        answer = self.ask(method, path, body)
        expect_equal(
            (answer.status, answer.headers.get("content-type")),
            (status, "application/problem+json"),
            f"{method} {path} {body!r}: {answer.body}",
        )
        for field in ("type", "title", "status", "detail", "code"):
            expect(field in answer.body, f"a problem without {field}: {answer.body}")
        expect_equal((answer.body["status"], answer.body["code"]), (status, code), f"{method} {path} {body!r}")
        return answer.body

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body):
        return self.call("POST", path, body)

    def put_provider(self, provider, channel="payments", **settings):
        return self.call("PUT", f"/v1/channels/{channel}/providers/{provider}", settings)

    def route(self, transaction_id, channel="payments", **more):
        return self.post("/v1/route", {"channel": channel, "transaction_id": transaction_id, **more})

    def report(self, transaction_id, provider, status="success", channel="payments", **more):
        return self.post(
            "/v1/report",
            {"channel": channel, "transaction_id": transaction_id, "provider": provider, "status": status, **more},
        )

    def webhook(self, transaction_id, provider, confirmed=True, channel="payments", **more):
        return self.post(
            "/v1/webhook",
            {
                "channel": channel,
                "transaction_id": transaction_id,
                "provider": provider,
                "confirmed": confirmed,
                **more,
            },
        )

    def providers(self, channel="payments"):
        """The table of a channel, by provider."""
        return {row["provider"]: row for row in self.get(f"/v1/channels/{channel}/providers")["providers"]}

    def metric(self, name, **labels):
        """The sum of a metric's samples that have these labels."""
        total = 0.0
        for line in self.get("/metrics").decode().splitlines():
            if not line.startswith((name + "{", name + " ")):
                continue
            if all(f'{label}="{value}"' in line for label, value in labels.items()):
                total += float(line.rsplit(" ", 1)[1])
        return total

    def close(self):
        if self.wire is not None:
            self.wire.close()
            self.wire = None
