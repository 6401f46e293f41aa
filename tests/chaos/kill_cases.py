"""kill -9 under load, and what is there after the restart."""

import random
import time

from case import case, expect, expect_equal
from fixture import channel_text, wait_until
from load import Flood, Load, Stalls, report_again
from wire import Wire

PROVIDERS = ["adyen", "checkout", "stripe", "worldpay"]

# The store is at most so far behind.
BEHIND_S = 0.1

CONFIG = channel_text("payments", *PROVIDERS, "broken", "closed_by_hand", sweep_interval='"100ms"') + channel_text(
    "slow", "bank", webhook_timeout='"1500ms"', sweep_interval='"100ms"'
)


def prepare(api):
    """An open circuit, one opened by hand, overrides, and a channel and a provider that the file does not have."""
    for number in range(5):
        api.report(f"broken_{number}", "broken", "failure")
    api.post(
        "/v1/channels/payments/providers/closed_by_hand/circuit",
        {"action": "open", "reason": "maintenance", "author": "ana"},
    )
    api.call("PATCH", "/v1/channels/payments", {"epsilon": 0.25})
    api.call("PATCH", "/v1/channels/payments/providers/adyen", {"business_multiplier": 1.5})
    api.put_provider("added", business_multiplier=0.5)
    api.call("PUT", "/v1/channels/payouts", {"providers": [{"id": "bank"}]})


def settings_of(api):
    """Everything that an operator set, as the server shows it."""
    return {
        path: api.get(path)
        for path in (
            "/v1/channels",
            "/v1/channels/payments",
            "/v1/channels/payouts",
            "/v1/channels/payments/audit",
            "/v1/channels/payouts/audit",
        )
    }


def circuits_of(api):
    return {
        provider: {
            name: row[name]
            for name in (
                "circuit",
                "manual",
                "consecutive_failures",
                "generation",
                "opened_at_ms",
                "half_open_at_ms",
                "business_multiplier",
                "enabled",
            )
        }
        for provider, row in api.providers().items()
        if provider not in PROVIDERS or row["circuit"] != "closed"
    }


def history_of(api, before_ms):
    return {
        provider: [
            point
            for point in api.get(f"/v1/channels/payments/providers/{provider}/history")["points"]
            if point[0] < before_ms
        ]
        for provider in PROVIDERS
    }


def total_of(api):
    return sum(row["total"] for provider, row in api.providers().items() if provider in PROVIDERS)


def expect_only_the_latest_missing(reports, remembered, killed):
    """Of what was answered only the last 100 ms may be missing, and as long as answers were under way at that time."""
    delays = [report.answered - report.sent for report in reports if report.answered and report.answered > killed - 1]
    margin = max(delays, default=0)
    missing = [report for report, known in zip(reports, remembered) if not known and report.answered]
    for report in missing:
        age = killed - report.answered
        expect(
            age <= BEHIND_S + margin,
            f"{report.transaction}, answered {age:.3f} s before the kill, is missing (margin {margin:.3f} s)",
        )


@case
def kill_loses_at_most_the_last_100_ms(site):
    """Three rounds on one data folder: counts, duplicates, pending transactions, circuits, settings, audit, history."""
    arguments = ("--data", site.path("data"))
    moments = random.Random(20240229)
    everything = []
    server = site.serve(*arguments, config=CONFIG)
    api = server.api()
    prepare(api)
    for round_number in range(3):
        load = Load(server.port, f"round{round_number}", PROVIDERS, seed=round_number)
        for number in range(10):
            api.report(f"pending_{round_number}_{number}", "bank", "pending", channel="slow")
        time.sleep(moments.uniform(0.4, 1.2))
        settings, circuits = settings_of(api), circuits_of(api)
        now_ms = int(time.time() * 1000)
        history = history_of(api, now_ms)
        time.sleep(0.3)
        killed = time.monotonic()
        server.kill()
        load.stop()
        expect(not load.refused, f"reports were refused: {load.refused[:3]}")
        expect(len(load.reports) > 100, f"only {len(load.reports)} reports were sent")
        everything += load.reports

        server = site.serve(*arguments, config=CONFIG)
        api = server.api()
        expect_equal(settings_of(api), settings, "settings and audit after the restart")
        expect_equal(circuits_of(api), circuits, "circuits after the restart")
        expect_equal(history_of(api, now_ms), history, "history after the restart")
        total = total_of(api)
        remembered = report_again(server.port, everything)
        expect_equal(total, sum(remembered), "outcomes counted, against those remembered")
        expect_equal(total_of(api), len(everything), "outcomes after everything was reported again")
        expect(
            all(report_again(server.port, everything[-200:])), "a report was not remembered after it was reported again"
        )
        older = len(everything) - len(load.reports)
        expect(all(remembered[:older]), "a report of an earlier round was forgotten")
        expect_only_the_latest_missing(load.reports, remembered[older:], killed)

        pending = 10 * (round_number + 1)
        wait_until(
            lambda: api.get("/v1/channels/slow/providers")["providers"][0]["total"] == pending,
            "the time-outs of pending transactions",
        )
        expect_equal(
            api.webhook(f"pending_{round_number}_0", "bank", channel="slow")["late"],
            True,
            "a webhook after the time-out",
        )
        bank = api.providers("slow")["bank"]
        expect_equal((bank["total"], bank["successes"]), (pending, 0), "outcomes of the pending transactions")


@case
def a_webhook_after_the_restart_counts(site):
    """What was pending at the kill is confirmed by its webhook, once."""
    arguments = ("--data", site.path("data"))
    config = CONFIG.replace("1500ms", "60s")
    server = site.serve(*arguments, config=config)
    api = server.api()
    for number in range(20):
        api.report(f"tx_{number}", "bank", "pending", channel="slow")
    time.sleep(2 * BEHIND_S)
    server.kill()
    api = site.serve(*arguments, config=config).api()
    expect_equal(api.get("/v1/channels/slow/pending")["count"], 20, "pending transactions after the restart")
    for late in (False, True):
        for number in range(20):
            answer = api.webhook(f"tx_{number}", "bank", channel="slow")
            expect_equal((answer["recorded"], answer["late"]), (not late, late), f"the webhook of tx_{number}")
    bank = api.providers("slow")["bank"]
    expect_equal((bank["total"], bank["successes"]), (20, 20), "outcomes")


@case
def a_flood_of_pending_reports_is_answered_as_fast_as_it_is_written(site):
    """More than the disk takes: the answers wait for it, so that a kill loses only the latest and an end is quick."""
    arguments = ("--data", site.path("data"))
    config = CONFIG.replace("1500ms", "60s")
    server = site.serve(*arguments, config=config)
    stalls = Stalls()
    floods = [Flood(server.port, f"flood{number}") for number in range(3)]
    time.sleep(2)
    killed = time.monotonic()
    server.kill()
    stalls.stopping = True
    for flood in floods:
        flood.join(30)
        expect(flood.answered, "nothing was answered")

    server = site.serve(*arguments, config=config)
    allowed = BEHIND_S + 0.05 + 2 * stalls.longest
    with Wire(server.port) as wire:
        for flood in floods:
            for hundred, answered in enumerate(flood.answered):
                age = killed - answered
                expect(
                    age <= allowed or flood.all_known(wire, hundred),
                    f"a report answered {age:.3f} s before the kill is missing (allowed: {allowed:.3f} s)",
                )

    before = server.api().get("/v1/channels/slow/pending")["count"]
    again = [Flood(server.port, f"again{number}") for number in range(3)]
    time.sleep(1)
    server.terminate()
    for flood in again:
        flood.stopping = True
        flood.join(30)
    api = site.serve(*arguments, config=config).api()
    pending = api.get("/v1/channels/slow/pending")["count"]
    answered = Flood.AT_ONCE * sum(len(flood.answered) for flood in again)
    expect(pending >= before + answered, f"of {answered} answered reports only {pending - before} were written")


@case
def kills_in_quick_succession_do_no_harm(site):
    """Ten times a start, a load that writes and a kill: it always starts again, and counts nothing twice."""
    arguments = ("--data", site.path("data"))
    moments = random.Random(7)
    everything = []
    for round_number in range(10):
        server = site.serve(*arguments, config=CONFIG)
        api = server.api()
        load = Load(server.port, f"round{round_number}", PROVIDERS, seed=round_number, clients=3)
        end = time.monotonic() + moments.uniform(0.02, 0.3)
        number = 0
        while time.monotonic() < end:
            api.call("PATCH", "/v1/channels/payments/providers/adyen", {"business_multiplier": 1 + number % 7})
            api.put_provider(f"extra-{number % 5}")
            number += 1
        server.kill()
        everything += load.stop().reports
    server = site.serve(*arguments, config=CONFIG)
    total = total_of(server.api())
    remembered = report_again(server.port, everything)
    expect_equal(total, sum(remembered), "outcomes counted, against those remembered")
    expect_equal(total_of(server.api()), len(everything), "outcomes after everything was reported again")
