"""Bad and odd HTTP: too large, too slow, cut off, mixed up. The right refusal, never a hang, and good calls go on."""

import json
import random
import socket
import time

from beside import GoodCallsBeside, ROUTE
from case import case, expect, expect_equal, expect_in
from fixture import channel_text
from wire import Closed, request

CONFIG = channel_text("payments", "adyen")
QUICK = ("--set", "server.request_timeout=300ms", "--set", "server.idle_timeout=600ms")
GOOD = {"channel": "payments", "transaction_id": "tx"}
BODY = json.dumps(GOOD).encode()


def post_head(length, path="/v1/route", more=""):
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {length}\r\n{more}\r\n".encode()


def padded(body, size):
    """A JSON text with spaces behind it."""
    return json.dumps(body).encode().ljust(size)


def sent(server, data, status, code=None):
    """Sends bytes on a new connection; the answer, which must have this status."""
    with server.wire() as wire:
        try:
            wire.send(data)
        except ConnectionError:
            pass  # the refusal may come before all was sent
        answer = wire.answer()
        expect_equal(answer.status, status, f"after {data[:80]!r}: {answer}")
        if status >= 400:
            problem = json.loads(answer.body)
            expect_equal(answer.headers["content-type"], "application/problem+json", f"after {data[:80]!r}")
            if code:
                expect_equal(problem["code"], code, f"after {data[:80]!r}")
        return answer


@case
def bodies_have_a_limit(site):
    """64 KiB, for a batch and a channel 1 MiB: the last byte passes, one more is 413, before the body is sent."""
    server = site.serve(config=CONFIG)
    small, large = 64 * 1024, 1024 * 1024
    with GoodCallsBeside(server):
        for path, limit, good, method in (
            ("/v1/route", small, GOOD, "POST"),
            ("/v1/route/batch", large, {"requests": [GOOD]}, "POST"),
            ("/v1/channels/other", large, {}, "PUT"),
            ("/v1/channels/payments", small, {"epsilon": 0.1}, "PATCH"),
        ):
            expect_equal(
                sent(
                    server, request(method, path, padded(good, limit)), 201 if path.endswith("other") else 200
                ).headers.get("connection", ""),
                "",
                f"the connection after {limit} bytes for {path}",
            )
            sent(server, request(method, path, padded(good, limit + 1)), 413, "body_too_large")
        sent(server, post_head(small + 1), 413, "body_too_large")
        sent(server, post_head(10**18), 413, "body_too_large")
        expect_in(sent(server, post_head(10**30), 400).status, (400, 413), "a length beyond all numbers")
        chunks = (
            b"POST /v1/route HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            + (b"1000\r\n" + b" " * 4096 + b"\r\n") * 17
        )
        sent(server, chunks, 413, "body_too_large")


@case
def headers_have_a_limit(site):
    server = site.serve(config=CONFIG)
    with GoodCallsBeside(server):
        filler = "X-Filler: " + "x" * 7000 + "\r\n"
        sent(server, post_head(len(BODY), more=filler) + BODY, 200)
        sent(server, post_head(len(BODY), more="X-Filler: " + "x" * 8300 + "\r\n") + BODY, 431, "header_too_large")
        sent(server, post_head(len(BODY), more="X: y\r\n" * 2000) + BODY, 431, "header_too_large")
        sent(server, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 200_000, 431, "header_too_large")
        sent(server, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "target_too_long")


@case
def a_truncated_request_is_let_go(site):
    """The client ends in the middle: no answer or a refusal, and the connection ends."""
    server = site.serve(config=CONFIG)
    whole = post_head(len(BODY)) + BODY
    with GoodCallsBeside(server):
        for end in (0, 1, 20, len(whole) - len(BODY) - 1, len(whole) - len(BODY), len(whole) - 1):
            with server.wire() as wire:
                wire.send(whole[:end])
                wire.socket.shutdown(socket.SHUT_WR)
                begin = time.monotonic()
                try:
                    expect_in(wire.answer().status, (400, 408), f"the answer to {whole[:end]!r}")
                except Closed:
                    pass
                expect(
                    time.monotonic() - begin < 5,
                    f"it took {time.monotonic() - begin:.1f} s to let go of {whole[:end]!r}",
                )
        with server.wire() as wire:
            wire.send(whole)
            wire.socket.shutdown(socket.SHUT_WR)
            expect_equal(wire.answer().status, 200, "a whole request of a client that then says no more")


@case
def requests_may_come_in_any_pieces(site):
    server = site.serve(config=CONFIG)
    chunked = (
        b"POST /v1/route HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with GoodCallsBeside(server), server.wire() as wire:
        for byte in post_head(len(BODY)) + BODY:
            wire.send(bytes([byte]))
        expect_equal(wire.answer().status, 200, "byte by byte")
        wire.send(chunked)
        for byte in BODY:
            wire.send(b"1;extension=x\r\n" + bytes([byte]) + b"\r\n")
        wire.send(b"0\r\nTrailer: x\r\n\r\n")
        expect_equal(wire.answer().status, 200, "in chunks of one byte")
        wire.send(post_head(len(BODY), more="Expect: 100-continue\r\n"))
        expect_equal(wire.answer().status, 100, "the word to go on")
        wire.send(BODY)
        expect_equal(wire.answer().status, 200, "after 100")
    for chunks in (b"x\r\n", b"-1\r\n", b"5\r\nabc\r\n0\r\n\r\n", b"ffffffffffffffffff\r\n", b"2\r\n{}XX", b"0" * 300):
        sent(server, chunked + chunks + b"\r\n" * 2, 413 if chunks.startswith(b"ffff") else 400)


@case
def pipelined_requests_are_answered_in_order(site):
    """Good ones beside those that are refused; what is no HTTP ends the connection after the answers before it."""
    server = site.serve(config=CONFIG)
    bad = request("POST", "/v1/route", {"channel": "payments"})
    lost = request("GET", "/nothing")
    with GoodCallsBeside(server):
        with server.wire() as wire:
            wire.send((ROUTE + bad + ROUTE + lost) * 50)
            statuses = [wire.answer().status for _ in range(200)]
            expect_equal(statuses, [200, 400, 200, 404] * 50, "statuses")
        with server.wire() as wire:
            wire.send(ROUTE * 3 + b"THIS IS NO HTTP\r\n\r\n" + ROUTE)
            expect_equal([wire.answer().status for _ in range(4)], [200, 200, 200, 400], "statuses")
            expect(wire.ended(), "something came after the refusal")
        with server.wire() as wire:
            wire.send(ROUTE + request("GET", "/healthz", headers=["Connection: close"]) + ROUTE)
            expect_equal([wire.answer().status for _ in range(2)], [200, 200], "statuses")
            expect(wire.ended(), "something came after the last answer")


@case
def slow_requests_are_cut_off(site):
    """A slow head, a slow body, a byte now and then: 408 when the time is over, and not before."""
    server = site.serve(*QUICK, config=CONFIG)
    head = post_head(len(BODY))
    with GoodCallsBeside(server):
        for start in (b"P", head[:30], head, head + BODY[:5]):
            with server.wire() as wire:
                begin = time.monotonic()
                wire.send(start)
                answer = wire.answer()
                took = time.monotonic() - begin
                expect_equal((answer.status, answer.headers.get("connection")), (408, "close"), f"after {start!r}")
                expect(0.25 < took < 5, f"{start!r} was cut off after {took:.2f} s")
                expect(wire.ended(), "something came after the refusal")
        with server.wire() as wire:
            begin = time.monotonic()
            try:
                for byte in head + BODY:
                    wire.send(bytes([byte]))
                    time.sleep(0.02)
                expect(False, "a request of several seconds was taken")
            except ConnectionError:
                pass
            expect(time.monotonic() - begin < 5, "drips kept the connection open")


@case
def idle_connections_are_closed(site):
    server = site.serve(*QUICK, config=CONFIG)
    with GoodCallsBeside(server):
        for first in (b"", ROUTE):
            with server.wire() as wire:
                if first:
                    wire.send(first)
                    expect_equal(wire.answer().status, 200, "the first call")
                begin = time.monotonic()
                expect(wire.ended(), "something came on an idle connection, or it was not closed")
                took = time.monotonic() - begin
                expect((0.5 if first else 0.25) < took < 5, f"an idle connection was closed after {took:.2f} s")


@case
def connections_have_a_limit(site):
    """The one too many is told so; the others work; room that is made is used."""
    server = site.serve("--set", "server.max_connections=50", "--set", "server.threads=2", config=CONFIG)
    wires = [server.wire() for _ in range(50)]
    for wire in wires:
        wire.send(ROUTE)
        expect_equal(wire.answer().status, 200, "a call within the limit")
    for _ in range(3):
        with server.wire() as extra:
            answer = extra.answer()
            expect_equal(
                (answer.status, json.loads(answer.body)["code"]),
                (503, "too_many_connections"),
                "the connection beyond the limit",
            )
            expect(extra.ended(), "something came after the refusal")
    for wire in wires:
        wire.send(ROUTE)
        expect_equal(wire.answer().status, 200, "a call within the limit, later")
    wires.pop().close()
    deadline = time.monotonic() + 10
    while True:
        with server.wire() as wire:
            try:
                wire.send(ROUTE)
                status = wire.answer().status
            except (Closed, ConnectionError):
                status = 503
        if status == 200:
            break
        expect(time.monotonic() < deadline, "the room that one left is not used")
        time.sleep(0.02)
    wires[0].send(request("GET", "/metrics"))
    expect_in(b"\nturnout_http_connections_refused_total ", wires[0].answer().body, "metrics")
    for wire in wires:
        wire.close()


@case
def methods_paths_and_content_types_are_checked(site):
    server = site.serve(config=CONFIG)
    api = server.api()
    for method, path, allow in (
        ("GET", "/v1/route", "POST"),
        ("DELETE", "/v1/report", "POST"),
        ("POST", "/healthz", "GET, HEAD"),
        ("PUT", "/metrics", "GET, HEAD"),
        ("POST", "/v1/channels/payments", "GET, HEAD, PUT, PATCH, DELETE"),
        ("BREW", "/v1/route", "POST"),
    ):
        answer = api.ask(method, path)
        expect_equal((answer.status, answer.headers.get("allow")), (405, allow), f"{method} {path}")
    for path in (
        "/v1/routes",
        "/v1/route/",
        "/v1//route",
        "/v1/channels/payments/nothing",
        "/v2/route",
        "/..",
        "/v1/route%00",
    ):
        api.refused("POST", path, GOOD, 404, "not_found")
    api.refused("GET", "/v1/channels?surprise=1", None, 400, "invalid_request")
    api.refused("GET", "/v1/channels/payments/providers?top=-1", None, 400, "invalid_request")
    api.refused("GET", "/v1/channels/payments/providers?top=1&top=2", None, 400, "invalid_request")
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx", "multipart/form-data"):
        data = post_head(len(BODY)).replace(b"application/json", content_type.encode()) + BODY
        sent(server, data, 415, "unsupported_media_type")
    sent(server, post_head(len(BODY)).replace(b"application/json", b"Application/JSON; charset=utf-8") + BODY, 200)
    with server.wire() as wire:
        wire.send(request("HEAD", "/healthz") + request("GET", "/healthz"))
        head, get = wire.answer(to_head=True), wire.answer()
        expect_equal(
            (head.status, head.headers["content-length"]), (200, get.headers["content-length"]), "HEAD beside GET"
        )


@case
def what_is_no_http_is_refused(site):
    """Garbage, foreign protocols, and requests that two readers could understand in two ways."""
    server = site.serve(*QUICK, config=CONFIG)
    head = "POST /v1/route HTTP/1.1\r\nHost: x\r\n"
    ambiguous = (
        head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        head + "Content-Length: +5\r\n\r\nhello",
        head + "Content-Length: 5 5\r\n\r\nhello",
        head + "Content-Length : 5\r\n\r\nhello",
        head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        head + "X: a\rb\r\n\r\n",
        head + "X: a\0b\r\n\r\n",
        head + " folded\r\n\r\n",
        "POST /v1/route HTTP/1.1\r\n\r\n",
        head + "Host: y\r\n\r\n",
        "POST  /v1/route HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /healthz HTTP/1.1\nHost: x\n\n",
        "GET /healthz\r\n\r\n",
        "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n",
        "GET /heal thz HTTP/1.1\r\nHost: x\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET /\x80 HTTP/1.1\r\nHost: x\r\n\r\n",
    )
    with GoodCallsBeside(server):
        for text in ambiguous:
            answer = sent(server, text.encode("latin-1"), 400)
            expect_equal(answer.headers.get("connection"), "close", f"the connection after {text!r}")
        sent(server, b"\r\n" * 100_000, 400, "malformed_request")
        expect_in(
            sent(server, (head + "Transfer-Encoding: gzip\r\n\r\n").encode(), 501).status,
            (400, 501),
            "an unknown coding",
        )
        numbers = random.Random(7)
        for size in [1, 10, 100, 1000, 10_000] * 4:
            with server.wire() as wire:
                try:
                    wire.send(b"\x16\x03\x01" + numbers.randbytes(size))
                    expect_in(wire.answer().status, (400, 408, 414), "the answer to garbage")
                except (Closed, ConnectionError):
                    pass
