"""Tokens, TLS, and the addresses that need them."""

import hashlib
import socket
import ssl
import subprocess
import time

from case import case, expect, expect_equal, expect_in
from fixture import channel_text
from wire import ANSWER_SECONDS, Api, Closed, Wire, request

CHANNELS = channel_text("payments", "adyen") + channel_text("payouts", "bank")


def token_entry(name, scopes, channels=None):
    """The lines of a configuration for the token `secret-NAME`."""
    digest = hashlib.sha256(f"secret-{name}".encode()).hexdigest()
    scope_list = ", ".join(f'"{scope}"' for scope in scopes)
    entry = f'[[server.tokens]]\nname = "{name}"\nsha256 = "{digest}"\nscopes = [{scope_list}]\n'
    return entry + (f'channels = ["{channels}"]\n' if channels else "")


@case
def tokens_open_what_their_scopes_say(site):
    config = CHANNELS + "".join(
        token_entry(scope, [scope]) for scope in ("route", "report", "read", "admin", "budgets")
    )
    server = site.serve(config=config)
    calls = {
        "route": [
            ("POST", "/v1/route", {"channel": "payments", "transaction_id": "tx_1"}),
            ("POST", "/v1/route/batch", {"requests": []}),
        ],
        "report": [
            (
                "POST",
                "/v1/report",
                {"channel": "payments", "transaction_id": "tx_1", "provider": "adyen", "status": "pending"},
            ),
            (
                "POST",
                "/v1/webhook",
                {"channel": "payments", "transaction_id": "tx_1", "provider": "adyen", "confirmed": True},
            ),
        ],
        "read": [
            ("GET", "/v1/channels", None),
            ("GET", "/v1/channels/payments/providers", None),
            ("GET", "/v1/channels/payments/audit", None),
            ("GET", "/metrics", None),
        ],
        "admin": [
            ("PATCH", "/v1/channels/payments", {"epsilon": 0.1}),
            ("PUT", "/v1/channels/payments/providers/stripe", {}),
            ("POST", "/v1/channels/payments/providers/stripe/circuit", {"action": "open"}),
            ("DELETE", "/v1/channels/payments/providers/stripe", None),
        ],
    }
    for needed, requests in calls.items():
        for method, path, body in requests:
            answer = server.api().ask(method, path, body)
            expect_equal(
                (answer.status, answer.headers.get("www-authenticate")),
                (401, "Bearer"),
                f"{method} {path} without a token",
            )
            for wrong in (
                "secret-nobody",
                "secret-" + needed + "x",
                hashlib.sha256(f"secret-{needed}".encode()).hexdigest(),
            ):
                server.api(token=wrong).refused(method, path, body, 401, "unauthorized")
            for scope in ("route", "report", "read", "admin", "budgets"):
                if scope != needed:
                    server.api(token="secret-" + scope).refused(method, path, body, 403, "forbidden")
            answer = server.api(token="secret-" + needed).ask(method, path, body)
            expect(answer.status // 100 == 2, f"{method} {path} with {needed}: {answer}")
    for path in ("/healthz", "/readyz", "/openapi.yaml"):
        expect_equal(server.api().ask("GET", path).status, 200, path)
    audit = server.api(token="secret-read").get("/v1/channels/payments/audit")["audit"]
    expect("admin" in {entry["author"] for entry in audit}, f"the token's name in {audit}")
    expect("secret-" not in server.log(), "a token was logged")


@case
def a_token_reaches_only_its_channels(site):
    config = CHANNELS + token_entry("payments-only", ["route", "report", "read", "admin"], "payments")
    api = site.serve(config=config).api(token="secret-payments-only")
    expect_equal(api.route("tx_1")["provider"], "adyen", "its own channel")
    report = {"transaction_id": "tx_1", "provider": "bank", "channel": "payouts"}
    api.refused("POST", "/v1/route", {"channel": "payouts", "transaction_id": "tx_1"}, 403, "forbidden")
    api.refused("POST", "/v1/report", {**report, "status": "success"}, 403, "forbidden")
    api.refused("POST", "/v1/webhook", {**report, "confirmed": True}, 403, "forbidden")
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"epsilon": 0.1}),
        ("DELETE", "", None),
        ("GET", "/providers", None),
        ("PUT", "/providers/other", {}),
        ("POST", "/providers/bank/circuit", {"action": "open"}),
        ("GET", "/providers/bank/history", None),
        ("GET", "/pending", None),
        ("GET", "/decisions", None),
        ("GET", "/audit", None),
    ):
        api.refused(method, "/v1/channels/payouts" + path, body, 403, "forbidden")
    batch = api.post(
        "/v1/route/batch", {"requests": [{"channel": name, "transaction_id": "tx"} for name in ("payouts", "payments")]}
    )
    expect_equal([row.get("code") for row in batch["decisions"]], ["forbidden", None], "a batch over both channels")
    expect_equal(
        [row["channel"] for row in api.get("/v1/channels")["channels"]], ["payments"], "the channels that it sees"
    )


@case
def an_open_address_needs_tokens(site):
    for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:8080"):
        status, out, err = site.turnout("serve", "--listen", address)
        expect_equal((status, out), (1, ""), f"serve --listen {address}")
        expect_in("token", err, f"serve --listen {address}")
        expect_equal(site.turnout("check", "--listen", address, "--insecure-no-auth")[0], 0, "with --insecure-no-auth")
    config = site.write("turnout.toml", token_entry("any", ["route"]))
    expect_equal(site.turnout("check", "--config", config, "--listen", "0.0.0.0:8080")[0], 0, "with a token")
    expect_equal(site.turnout("check", "--listen", "[::1]:8080")[0], 0, "a loopback address of IPv6")


@case
def the_shell_commands_send_the_token(site):
    server = site.serve(config=CHANNELS + token_entry("operator", ["read", "admin"]))
    at = ("--server", server.url)
    status, _, err = site.turnout("providers", *at)
    expect_equal(status, 1, "without a token")
    expect_in("401", err, "without a token")
    expect_equal(site.turnout("providers", *at, "--token", "secret-operator")[0], 0, "with --token")
    expect_equal(
        site.turnout("open", "payments", "adyen", *at, environment={"TURNOUT_TOKEN": "secret-operator"})[0],
        0,
        "with TURNOUT_TOKEN",
    )


def make_certificate(site):
    """A certificate for localhost and its key, and an authority that did not sign it."""
    for name in ("server", "other"):
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost",
                "-keyout",
                site.path(f"{name}.key"),
                "-out",
                site.path(f"{name}.pem"),
            ],
            check=True,
            capture_output=True,
        )
    return ("--set", f"server.tls_cert={site.path('server.pem')}", "--set", f"server.tls_key={site.path('server.key')}")


@case
def tls_serves_those_who_trust_the_certificate(site):
    server = site.serve(*make_certificate(site), config=CHANNELS)
    expect_equal(server.scheme, "https", "the scheme of the first line")
    trusting = ssl.create_default_context(cafile=site.path("server.pem"))
    api = server.api(tls=trusting)
    expect_equal(api.route("tx_1")["provider"], "adyen", "a decision")
    expect_in(api.wire.socket.version(), ("TLSv1.2", "TLSv1.3"), "the version of TLS")
    try:
        server.wire(ssl.create_default_context(cafile=site.path("other.pem")))
        expect(False, "the certificate was accepted by one who does not know its authority")
    except ssl.SSLCertVerificationError:
        pass
    old = ssl.create_default_context(cafile=site.path("server.pem"))
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.minimum_version = ssl.TLSVersion.TLSv1
    try:
        server.wire(old)
        expect(False, "TLS 1.1 was accepted")
    except (ssl.SSLError, ConnectionError, ValueError):
        pass
    expect_equal(api.route("tx_2")["provider"], "adyen", "a decision beside those")


@case
def tls_is_not_held_up_by_what_is_no_tls(site):
    """Plain HTTP, garbage and silence on the port end soon; others are served meanwhile."""
    server = site.serve(*make_certificate(site), "--set", "server.request_timeout=500ms", config=CHANNELS)
    tls = ssl.create_default_context(cafile=site.path("server.pem"))
    api = Api(server.port, tls=tls)
    for sent in (
        request("GET", "/healthz"),
        bytes(range(256)) * 8,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xff" * 600,
        b"\x16\x03",
    ):
        with Wire(server.port) as wire:
            begin = time.monotonic()
            try:
                wire.send(sent)
                wire.answer()
                expect(False, f"{sent[:20]!r} was answered")
            except (Closed, ConnectionError, ValueError, IndexError):
                pass
            except socket.timeout:
                expect(False, f"{sent[:20]!r} held the connection for {ANSWER_SECONDS} s")
            expect(time.monotonic() - begin < 10, f"{sent[:20]!r} took too long")
            expect_equal(api.route("tx_1")["provider"], "adyen", "a decision beside it")


@case
def a_certificate_that_cannot_be_used_is_said(site):
    make_certificate(site)
    missing = (
        "--set",
        f"server.tls_cert={site.path('missing.pem')}",
        "--set",
        f"server.tls_key={site.path('server.key')}",
    )
    foreign = (
        "--set",
        f"server.tls_cert={site.path('server.pem')}",
        "--set",
        f"server.tls_key={site.path('other.key')}",
    )
    for arguments in (missing, foreign, missing[:2]):
        status, out, err = site.turnout("serve", "--listen", "127.0.0.1:0", *arguments)
        expect_equal((status, out), (1, ""), f"{arguments}")
        expect(err, f"nothing was said about {arguments}")
