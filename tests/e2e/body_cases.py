"""Bad bodies: every field of every call, card numbers, texts that are no UTF-8.

The fault is named by its path, and nothing breaks.
"""

import json
import os

from beside import GoodCallsBeside
from case import case, expect, expect_equal, expect_in
from fixture import channel_text

CARD = "4111111111111111"
CARDS = (
    CARD,
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    f"order {CARD} of today",
    "378282246310005",
    "6011000990139424",
)

CONFIG = channel_text("payments", "adyen", "stripe")

TEXT = [7, True, None, [], {}]
WORD = TEXT + ["", "SUCCESS", "other"]
WHOLE = ["x", "", 1.5, True, None, [], {}, -1]
NUMBER = ["x", True, None, [], {}, -1]
ID = TEXT + ["", "a b", "é", "a" * 65]
LIST_OF_IDS = ["adyen", 7, True, None, {}]
SWITCH = ["true", 1, None, [], {}]
AMOUNT = ["x", "", "-1", "01", "1.5", 1.5, True, None, [], {}, -1, 2**53 + 1, str(2**53 + 1)]

PAYMENT = {"channel": ID, "transaction_id": TEXT + ["", "x" * 257]}
CUSTOMER = {
    "merchant_id": TEXT + ["x" * 257],
    "customer_id": TEXT + ["x" * 257],
    "payment_method": TEXT + ["x" * 65],
    "payment_method_type": TEXT + ["x" * 65],
}
OUTCOME = {"failure_kind": WORD, "latency_ms": WHOLE + [600_001, 10**400]}
CHANNEL = {
    "epsilon": NUMBER + [1.01],
    "policy": WORD,
    "prior": WORD[:4] + ["other", {"alpha": 0, "beta": 1}],
    "window": [True, None, "1y", "0s"],
    "webhook_timeout": [True, None, [], "soon", "1ms"],
    "sweep_interval": [True, None, {}, "1ms"],
    "all_open": WORD,
    "latency": [1, "x", None],
    "breaker": [1, "x", None, {"failure_threshold": 0}, {"failure_threshold": "5"}, {"open_for": "1ms"}, {"other": 1}],
}

# method, path, a good body, the fields that it needs, and for each field what it must not be
CALLS = [
    (
        "POST",
        "/v1/route",
        {
            "channel": "payments",
            "transaction_id": "tx",
            "merchant_id": "m1",
            "customer_id": "c1",
            "payment_method": "INTERAC",
            "payment_method_type": "RTP",
            "amount": 1999,
            "currency": "CAD",
            "eligible": ["adyen"],
            "exclude": [],
            "sticky": True,
            "explain": False,
        },
        ("channel", "transaction_id"),
        {
            **PAYMENT,
            **CUSTOMER,
            "amount": AMOUNT,
            "currency": TEXT + ["", "cad", "CADX", "C1D"],
            "eligible": LIST_OF_IDS,
            "exclude": LIST_OF_IDS,
            "sticky": SWITCH,
            "explain": SWITCH,
        },
    ),
    (
        "POST",
        "/v1/report",
        {
            "channel": "payments",
            "transaction_id": "tx",
            "provider": "adyen",
            "status": "failure",
            "decision_id": "0192f7a4-5b6c-7d8e-9f00-112233445566",
            "latency_ms": 412,
            "failure_kind": "issuer",
            "error_code": "U16",
            "merchant_id": "m1",
            "customer_id": "c1",
            "payment_method": "INTERAC",
            "payment_method_type": "RTP",
        },
        ("channel", "transaction_id", "provider", "status"),
        {
            **PAYMENT,
            **CUSTOMER,
            **OUTCOME,
            "provider": ID,
            "status": WORD,
            "decision_id": TEXT + ["", "x" * 36, "x" * 37],
            "error_code": TEXT + ["x" * 129],
        },
    ),
    (
        "POST",
        "/v1/webhook",
        {
            "channel": "payments",
            "transaction_id": "tx",
            "provider": "adyen",
            "confirmed": True,
            "latency_ms": 1,
            "failure_kind": "issuer",
        },
        ("channel", "transaction_id", "provider", "confirmed"),
        {**PAYMENT, **OUTCOME, "provider": ID, "confirmed": SWITCH},
    ),
    (
        "POST",
        "/v1/channels/payments/providers/adyen/circuit",
        {"action": "open", "reason": "maintenance", "author": "ana", "expires_in_ms": 1000},
        ("action",),
        {
            "action": WORD,
            "reason": TEXT + ["x" * 501],
            "author": TEXT + ["x" * 101],
            "expires_in_ms": WHOLE + [0, 2**53],
        },
    ),
    (
        "PUT",
        "/v1/channels/payments/providers/adyen",
        {"business_multiplier": 1, "enabled": True},
        (),
        {"business_multiplier": NUMBER + [1_000_001, 10**400], "enabled": SWITCH},
    ),
    (
        "PATCH",
        "/v1/channels/payments/providers/adyen",
        {"business_multiplier": 1, "enabled": True},
        (),
        {"business_multiplier": NUMBER + [1_000_001], "enabled": SWITCH},
    ),
    ("PATCH", "/v1/channels/payments", {"epsilon": 0.05}, (), CHANNEL),
    (
        "PUT",
        "/v1/channels/payments",
        {"epsilon": 0.05, "providers": [{"id": "adyen"}, {"id": "stripe"}]},
        (),
        {
            **CHANNEL,
            "providers": [
                1,
                "x",
                {},
                [1],
                [{}],
                [{"id": "a b"}],
                [{"id": "x"}, {"id": "x"}],
                [{"id": "x", "other": 1}],
            ],
        },
    ),
    ("POST", "/v1/route/batch", {"requests": []}, ("requests",), {"requests": [1, "x", True, {}, None, [{}] * 1001]}),
]


def refuse(api, method, path, body, status_code="invalid_request", at=None):
    """Sends a body that must be refused with 400; `at` is where the path of the fault must begin."""
    problem = api.refused(method, path, body, 400, status_code)
    if at is not None:
        expect(
            (problem.get("path") or "").startswith(at),
            f"{method} {path} {body!r}: the fault is at {at}, but: {problem}",
        )
        expect_in(at, problem["detail"], f"{method} {path} {body!r}")


@case
def every_field_is_held_to_its_kind(site):
    """Missing, of the wrong type, out of range, too long, unknown and twice: 400 with the path."""
    server = site.serve(config=CONFIG)
    api = server.api()
    with GoodCallsBeside(server):
        for method, path, good, needed, wrongs in CALLS:
            for field in needed:
                refuse(
                    api, method, path, {name: value for name, value in good.items() if name != field}, at="/" + field
                )
            for field, values in wrongs.items():
                for value in values:
                    refuse(api, method, path, {**good, field: value}, at="/" + field)
            refuse(api, method, path, {**good, "surprise": 1}, at="/surprise")
            for field, value in good.items():
                twice = json.dumps(good)[:-1] + "," + json.dumps({field: value})[1:]
                refuse(api, method, path, twice.encode(), at="/" + field)


@case
def what_is_no_object_is_refused(site):
    server = site.serve(config=CONFIG)
    api = server.api()
    texts = [
        b"",
        b" ",
        b"{",
        b"{}x",
        b"[]",
        b"1",
        b"null",
        b'"text"',
        b'{"channel":"payments",}',
        b"{'channel':'payments'}",
        b'{"channel":NaN}',
        b"[" * 10_000,
        b'{"a":' * 5_000,
        b'{"channel":"pay\x00ments"}',
        b'{"channel":"\\ud800"}',
        b'{"channel":"\\x"}',
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
    ]
    with GoodCallsBeside(server):
        for method, path, _, _, _ in CALLS:
            for text in texts:
                refuse(api, method, path, text)


@case
def a_text_that_is_no_utf8_is_refused(site):
    server = site.serve(config=CONFIG)
    api = server.api()
    broken = (b"\xff", b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82")
    with GoodCallsBeside(server):
        for method, path, good, _, _ in CALLS:
            for field, value in good.items():
                if isinstance(value, str):
                    for part in broken:
                        refuse(
                            api,
                            method,
                            path,
                            json.dumps({**good, field: "MARK"}).encode().replace(b"MARK", b"a" + part),
                        )
                refuse(api, method, path, json.dumps({**good, "MARK": 1}).encode().replace(b"MARK", b"a\xff"))
        for path in ("/v1/channels/%FF", "/v1/channels/payments/providers/a%C3/history", "/v1/channels/%zz"):
            answer = api.ask("GET", path)
            expect_in(answer.status, (400, 404), f"GET {path}")


@case
def a_card_number_is_refused_and_written_nowhere(site):
    """In each text field of each call, in paths and queries; not in the log, the decision log or the state."""
    decisions, data = site.path("decisions"), site.path("data")
    server = site.serve(
        "--data", data, "--set", f"decision_log.directory={decisions}", "--set", "log.level=trace", config=CONFIG
    )
    api = server.api()
    for method, path, good, _, _ in CALLS:
        for field, value in good.items():
            if isinstance(value, str) and field != "currency":
                for card in CARDS:
                    refuse(api, method, path, {**good, field: card}, "pan_detected", at="/" + field)
    route = CALLS[0][2]
    for field in ("eligible", "exclude"):
        refuse(api, "POST", "/v1/route", {**route, field: ["stripe", CARD]}, "pan_detected", at=f"/{field}/1")
    batch = api.post("/v1/route/batch", {"requests": [route, {**route, "customer_id": CARD}]})["decisions"]
    expect_equal(
        (batch[1]["code"], batch[1]["path"]), ("pan_detected", "/requests/1/customer_id"), "a card number in a batch"
    )
    expect("provider" in batch[0], f"the good request of the batch: {batch[0]}")
    for method, path, body in (
        ("GET", f"/v1/channels/{CARD}", None),
        ("PUT", f"/v1/channels/{CARD}", {}),
        ("GET", f"/v1/channels/payments/audit?limit={CARD}", None),
        ("PUT", f"/v1/channels/payments/providers/{CARD}", {}),
        ("GET", "/v1/channels/4111%201111%201111%201111", None),
        ("PUT", "/v1/channels/other", {"providers": [{"id": CARD}]}),
    ):
        api.refused(method, path, body, 400, "pan_detected")
    for body in ({**route, CARD: 1}, {**route, "surprise": CARD}, {**route, "surprise": {"deep": [CARD]}}):
        answer = api.ask("POST", "/v1/route", body)
        expect_equal(answer.status, 400, "a card number in a field that nobody knows")
        expect(CARD not in str(answer.body["detail"]), f"the card number came back: {answer.body}")
    expect_equal(api.route("tx_good")["channel"], "payments", "a decision after all that")
    server.terminate()
    expect_nowhere(server.log().encode(), "the log")
    for folder in (decisions, data):
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                expect_nowhere(file.read(), name)


def expect_nowhere(content, where):
    for card in CARDS:
        for form in (card, card.replace(" ", ""), card.replace("-", "")):
            expect(form.encode() not in content, f"the card number {form} is in {where}")


@case
def what_only_looks_like_a_card_number_passes(site):
    api = site.serve(config=CONFIG).api()
    for transaction in (
        "4111111111111112",
        "tx-1733000000123",
        "123456789012",
        "0192f7a4-5b6c-7d8e-9f00-112233445566",
        "41111111111111111111",
    ):
        expect_equal(api.route(transaction)["transaction_id"], transaction, "the transaction")
