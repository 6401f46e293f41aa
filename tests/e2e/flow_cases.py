"""What the README promises, call by call, against one server."""

import json
import os

from case import case, expect, expect_equal, expect_in
from fixture import wait_until
from wire import request

PROVIDERS = ("adyen", "stripe", "worldpay")


def serve_three(site, *arguments, **options):
    """A server whose channel `payments` was given three providers by PUT."""
    server = site.serve(*arguments, **options)
    api = server.api()
    for provider in PROVIDERS:
        api.put_provider(provider)
    return server, api


@case
def a_payment_is_routed_reported_and_confirmed(site):
    """From nothing but the program: providers, a decision, an outcome that comes later, a changed weight."""
    _, api = serve_three(site)
    api.call("PATCH", "/v1/channels/payments/providers/stripe", {"business_multiplier": 1.1})
    decision = api.route("tx_1", merchant_id="m1", customer_id="cust42", amount=1999, currency="CAD", explain=True)
    expect_equal(sorted([decision["provider"], *decision["fallbacks"]]), sorted(PROVIDERS), "choice and fallbacks")
    expect_in(decision["reason"], ("exploited", "explored"), "reason")
    expect(0 < decision["propensity"] < 1, f"propensity {decision['propensity']}")
    expect_equal([row["weight"] for row in decision["candidates"]], [0.6, 0.66, 0.6], "weights of new providers")

    pending = api.report("tx_1", "stripe", "pending", latency_ms=412)
    expect_equal((pending["recorded"], pending["duplicate"]), (True, False), "a pending report")
    expect_equal(api.get("/v1/channels/payments/pending")["count"], 1, "pending transactions")
    confirmed = api.webhook("tx_1", "stripe")
    expect_equal(
        (confirmed["recorded"], confirmed["late"], round(confirmed["weight"], 9)),
        (True, False, 0.733333333),
        "the webhook",
    )
    again = api.webhook("tx_1", "stripe", confirmed=False)
    expect_equal(
        (again["recorded"], again["late"], again["weight"]), (False, True, confirmed["weight"]), "a second webhook"
    )
    expect_equal(api.get("/v1/channels/payments/pending")["count"], 0, "pending transactions")
    expect_equal(api.providers()["stripe"]["total"], 1, "outcomes of stripe")


@case
def a_report_counts_once(site):
    """A repeat is a duplicate, a contradiction too; the same payment on another provider is another attempt."""
    _, api = serve_three(site)
    expect_equal(api.report("tx_1", "adyen")["recorded"], True, "the first report")
    for status in ("success", "failure"):
        answer = api.report("tx_1", "adyen", status)
        expect_equal(
            (answer["recorded"], answer["duplicate"], answer["recorded_status"]), (False, True, "success"), "a repeat"
        )
    expect_equal(api.report("tx_1", "worldpay")["recorded"], True, "another provider")
    totals = {provider: row["total"] for provider, row in api.providers().items()}
    expect_equal(totals, {"adyen": 1, "stripe": 0, "worldpay": 1}, "outcomes")


@case
def what_is_unknown_is_404(site):
    _, api = serve_three(site)
    route = {"channel": "nowhere", "transaction_id": "tx_1"}
    api.refused("POST", "/v1/route", route, 404, "unknown_channel")
    api.refused("POST", "/v1/report", {**route, "provider": "adyen", "status": "success"}, 404, "unknown_channel")
    report = {"channel": "payments", "transaction_id": "tx_1", "provider": "nobody"}
    api.refused("POST", "/v1/report", {**report, "status": "success"}, 404, "unknown_provider")
    api.refused("POST", "/v1/webhook", {**report, "confirmed": True}, 404, "unknown_provider")
    api.refused("POST", "/v1/webhook", {**report, "provider": "adyen", "confirmed": True}, 404, "unknown_transaction")
    api.refused("GET", "/v1/channels/nowhere", None, 404, "unknown_channel")
    api.refused("GET", "/v1/channels/payments/providers/nobody/history", None, 404, "unknown_provider")
    api.refused("GET", "/v1/nothing", None, 404, "not_found")


@case
def failures_open_a_circuit_and_nobody_is_503(site):
    """Five failures open it; rejected when all are open, with the reasons and the time to wait."""
    _, api = serve_three(site)
    for number in range(5):
        answer = api.report(f"tx_{number}", "adyen", "failure")
    expect_equal(
        (answer["circuit"], answer["consecutive_failures"], answer["weight"]), ("open", 5, 0), "after five failures"
    )
    for number in range(20):
        expect(api.route(f"later_{number}")["provider"] != "adyen", "a provider with an open circuit was chosen")
    excluded = {"channel": "payments", "transaction_id": "tx", "exclude": ["stripe", "worldpay"]}
    expect_equal(api.post("/v1/route", excluded)["reason"], "all_open", "best effort")
    api.call("PATCH", "/v1/channels/payments", {"all_open": "reject"})
    answer = api.ask("POST", "/v1/route", excluded)
    expect_equal((answer.status, answer.body["code"]), (503, "no_provider"), "with reject")
    expect_equal(
        answer.body["reasons"], {"adyen": "circuit_open", "stripe": "excluded", "worldpay": "excluded"}, "reasons"
    )
    expect(25_000 < answer.body["retry_after_ms"] <= 30_000, f"retry_after_ms {answer.body['retry_after_ms']}")
    expect(26 <= int(answer.headers["retry-after"]) <= 30, f"Retry-After {answer.headers['retry-after']}")


@case
def an_operator_opens_and_closes(site):
    """A manual opening holds whatever comes, is audited, and ends by order or by its time."""
    _, api = serve_three(site)
    circuit = "/v1/channels/payments/providers/adyen/circuit"
    opened = api.post(circuit, {"action": "open", "reason": "maintenance", "author": "ana"})
    expect_equal((opened["circuit"], opened["manual"]), ("open", True), "after open")
    for number in range(20):
        api.report(f"tx_{number}", "adyen")
        expect(api.route(f"tx_{number}")["provider"] != "adyen", "a provider that was opened by hand was chosen")
    entry = api.get("/v1/channels/payments/audit")["audit"]
    entry = next(row for row in entry if row["provider"] == "adyen" and row["reason"])
    expect_equal((entry["author"], entry["reason"]), ("ana", "maintenance"), "the audit entry")
    closed = api.post(circuit, {"action": "close", "author": "ana"})
    expect_equal((closed["circuit"], closed["manual"]), ("closed", False), "after close")
    api.post(circuit, {"action": "open", "author": "ana", "expires_in_ms": 1000})
    wait_until(lambda: api.providers()["adyen"]["circuit"] == "closed", "the end of an opening for a second")


@case
def a_channel_is_created_changed_and_removed(site):
    _, api = serve_three(site)
    api.call("PUT", "/v1/channels/payouts", {"epsilon": 0.5, "providers": [{"id": "bank"}]})
    expect_equal(api.route("tx_1", channel="payouts")["provider"], "bank", "the choice")
    expect_equal(
        sorted(row["channel"] for row in api.get("/v1/channels")["channels"]), ["payments", "payouts"], "channels"
    )
    api.call("DELETE", "/v1/channels/payouts/providers/bank")
    api.refused("POST", "/v1/route", {"channel": "payouts", "transaction_id": "tx_1"}, 503, "no_provider")
    api.call("DELETE", "/v1/channels/payouts")
    api.refused("POST", "/v1/route", {"channel": "payouts", "transaction_id": "tx_1"}, 404, "unknown_channel")


@case
def a_batch_is_decided_in_order(site):
    _, api = serve_three(site)
    requests = [{"channel": "payments", "transaction_id": f"tx_{number}"} for number in range(1000)]
    requests[1] = {"channel": "nowhere", "transaction_id": "tx"}
    requests[2] = {"channel": "payments"}
    decisions = api.post("/v1/route/batch", {"requests": requests})["decisions"]
    expect_equal(len(decisions), 1000, "decisions")
    expect_equal(
        [row.get("code") for row in decisions[:4]], [None, "unknown_channel", "invalid_request", None], "codes"
    )
    expect_equal(
        [row["transaction_id"] for row in decisions[3:]], [f"tx_{number}" for number in range(3, 1000)], "order"
    )


@case
def the_server_says_how_it_is(site):
    """Health, readiness, metrics, the description of the API, and lists of what happened."""
    _, api = serve_three(site)
    expect_equal(api.get("/healthz"), {"alive": True}, "/healthz")
    expect_equal(api.get("/readyz")["ready"], True, "/readyz")
    expect_in(b"openapi: 3.1", api.get("/openapi.yaml"), "/openapi.yaml")
    decision = api.route("tx_1")
    api.report("tx_1", decision["provider"])
    expect_equal(api.metric("turnout_decisions_total", channel="payments"), 1, "decisions in /metrics")
    expect_equal(api.metric("turnout_outcomes_total", status="success"), 1, "outcomes in /metrics")
    logged = api.get("/v1/channels/payments/decisions?limit=1")["decisions"]
    expect_equal([row["decision_id"] for row in logged], [decision["decision_id"]], "recent decisions")
    points = api.get(f"/v1/channels/payments/providers/{decision['provider']}/history")["points"]
    expect(all(len(point) == 2 for point in points), f"history {points}")


@case
def events_are_streamed(site):
    """A client of /v1/events sees the circuit open."""
    server, api = serve_three(site)
    with server.wire() as wire:
        wire.send(request("GET", "/v1/events"))
        expect_in("text/event-stream", wire.answer().headers["content-type"], "content type")
        for number in range(5):
            api.report(f"tx_{number}", "adyen", "failure")
        seen = b""
        while b'"open"' not in seen:
            data = wire.socket.recv(65536)
            expect(data, f"the stream ended after {seen!r}")
            seen += data
        expect_in(b"event:", seen, "events")


@case
def decisions_are_logged_as_lines_of_json(site):
    """A decision can be explained from its log line, and its outcome found."""
    folder = site.path("decisions")
    server, api = serve_three(site, "--set", f"decision_log.directory={folder}")
    decision = api.route("tx_1", customer_id="secret-customer")
    api.report("tx_1", decision["provider"], decision_id=decision["decision_id"], customer_id="secret-customer")
    server.terminate()
    text = ""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            text += file.read()
    lines = [json.loads(line) for line in text.splitlines()]
    expect(
        any(line.get("decision_id") == decision["decision_id"] and "candidates" in line for line in lines),
        f"no decision in {lines}",
    )
    expect(any(line.get("status") == "success" for line in lines), f"no outcome in {lines}")
    expect("secret-customer" not in text + server.log(), "the id of a customer was logged")
