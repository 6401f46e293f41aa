"""SIGTERM, SIGINT and SIGHUP."""

import os
import signal
import socket
import threading
import time

from case import case, expect, expect_equal, expect_in
from fixture import channel_text, wait_until
from wire import Closed, Wire, request

ONE_PROVIDER = channel_text("payments", "adyen")


class Reporter(threading.Thread):
    """Reports without pause over one connection, until it ends or `stop` is set."""

    def __init__(self, port, name, provider="adyen"):
        super().__init__(daemon=True)
        self.port, self.label, self.provider = port, name, provider
        self.answered = []
        self.unanswered = None
        self.wrong = []
        self.last_sent = 0.0
        self.stop = False

    def run(self):
        number = 0
        with Wire(self.port) as wire:
            while not self.stop:
                transaction = f"{self.label}_{number}"
                number += 1
                try:
                    wire.send(
                        request(
                            "POST",
                            "/v1/report",
                            {
                                "channel": "payments",
                                "transaction_id": transaction,
                                "provider": self.provider,
                                "status": "success",
                            },
                        )
                    )
                    self.last_sent = time.monotonic()
                    answer = wire.answer()
                except (Closed, OSError):
                    self.unanswered = transaction
                    return
                self.answered.append(transaction)
                if answer.status != 200:
                    self.wrong.append(answer)
                if answer.headers.get("connection") == "close":
                    return


@case
def sigterm_answers_what_was_accepted(site):
    """Under load: each report was answered, or was never taken; the state of all answered ones is there afterwards."""
    arguments = ("--data", site.path("data"))
    server = site.serve(*arguments, config=ONE_PROVIDER)
    reporters = [Reporter(server.port, f"client{number}") for number in range(8)]
    for reporter in reporters:
        reporter.start()
    time.sleep(0.7)
    told = time.monotonic()
    took = server.terminate()
    for reporter in reporters:
        reporter.join(10)
        expect(not reporter.is_alive(), "a client still waits")
        expect(not reporter.wrong, f"answers that were not 200: {reporter.wrong}")
        expect(
            reporter.unanswered is None or reporter.last_sent > told,
            f"{reporter.unanswered} was sent before SIGTERM and not answered",
        )
    expect(took < 5, f"it took {took:.1f} s")
    answered = [transaction for reporter in reporters for transaction in reporter.answered]
    expect(len(answered) > 100, f"only {len(answered)} reports were answered")

    api = site.serve(*arguments, config=ONE_PROVIDER).api()
    expect_equal(api.providers()["adyen"]["total"], len(answered), "outcomes after the restart")
    for transaction in (reporter.unanswered for reporter in reporters if reporter.unanswered):
        expect_equal(
            api.report(transaction, "adyen")["recorded"], True, f"recording {transaction}, which was not answered"
        )
    for transaction in answered[:: len(answered) // 200 + 1]:
        expect_equal(api.report(transaction, "adyen")["duplicate"], True, f"remembering {transaction}")


@case
def sigterm_does_not_wait_for_those_who_say_nothing(site):
    """Idle connections, half a request and a stream of events do not hold it up."""
    server = site.serve(config=ONE_PROVIDER)
    wires = [server.wire() for _ in range(6)]
    wires[0].send(b"POST /v1/route HTTP/1.1\r\nHost: loc")
    wires[1].send(b"POST /v1/route HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{")
    wires[2].send(request("GET", "/v1/events"))
    expect_equal(wires[2].answer().status, 200, "the stream of events")
    wires[3].send(request("GET", "/healthz"))
    expect_equal(wires[3].answer().status, 200, "/healthz")
    took = server.terminate()
    expect(took < 5, f"it took {took:.1f} s")
    for wire in wires:
        wire.socket.settimeout(5)
        wire.ended()
        wire.close()
    with socket.socket() as late:
        expect(late.connect_ex(("127.0.0.1", server.port)) != 0, "the port is still open")


@case
def a_signal_may_come_as_soon_as_it_listens(site):
    """Whoever read the first line may already give orders."""
    for _ in range(10):
        server = site.serve(config=ONE_PROVIDER)
        server.send(signal.SIGHUP)
        server.terminate()


@case
def sigint_stops_as_well(site):
    server = site.serve()
    expect(server.terminate(signal.SIGINT) < 5, "it took too long")


@case
def sighup_puts_a_good_file_in_force(site):
    """Under load, which does not notice; changes that take a restart are named."""
    server = site.serve(config=ONE_PROVIDER)
    api = server.api()
    reporter = Reporter(server.port, "client")
    reporter.start()
    site.write(
        "turnout.toml",
        '[server]\nidle_timeout = "7s"\n'
        + ONE_PROVIDER.replace("payments]\n", "payments]\nepsilon = 0.25\n", 1)
        + '[[channels.payments.providers]]\nid = "stripe"\n[channels.payouts]\n',
    )
    server.send(signal.SIGHUP)
    server.wait_for_log("configuration reloaded")
    expect_equal(sorted(api.providers()), ["adyen", "stripe"], "providers")
    expect_equal(
        sorted(row["channel"] for row in api.get("/v1/channels")["channels"]), ["payments", "payouts"], "channels"
    )
    expect_in("0.25", str(api.get("/v1/channels/payments")), "epsilon")
    expect_in("server.idle_timeout", server.log(), "the change that takes a restart")
    reporter.stop = True
    reporter.join(10)
    expect(reporter.unanswered is None and not reporter.wrong, "a report was lost or refused during the reload")
    expect_equal(api.providers()["adyen"]["total"], len(reporter.answered), "outcomes after the reload")


@case
def sighup_with_a_bad_file_changes_nothing(site):
    server = site.serve(config=ONE_PROVIDER)
    api = server.api()
    before = api.get("/v1/channels/payments")
    for number, (text, said) in enumerate(
        (
            ('[channels.payments]\nepsilon = 2\n[[channels.payments.providers]]\nid = "other"\n', "epsilon"),
            ("[channels.payments\n", ":1:"),
        )
    ):
        site.write("turnout.toml", text)
        server.send(signal.SIGHUP)
        server.wait_for_log("not reloaded", number + 1)
        expect_in(said, server.log(), "why it was not reloaded")
    expect_equal(api.get("/v1/channels/payments"), before, "the configuration in force")
    expect_equal(sorted(api.providers()), ["adyen"], "providers")
    site.write("turnout.toml", ONE_PROVIDER + '[[channels.payments.providers]]\nid = "stripe"\n')
    server.send(signal.SIGHUP)
    server.wait_for_log("configuration reloaded")
    expect_equal(sorted(api.providers()), ["adyen", "stripe"], "providers after a good file")


@case
def a_log_that_nobody_reads_stops_nothing(site):
    """Standard error is a pipe whose reader has gone: what is logged is lost, and nothing else."""
    read_end, write_end = os.pipe()
    with open(write_end, "wb") as pipe:
        server = site.serve(config=ONE_PROVIDER, stderr=pipe)
    os.close(read_end)
    api = server.api()
    server.send(signal.SIGHUP)  # which is logged
    for number in range(5):
        api.report(f"failed_{number}", "adyen", "failure")  # the circuit opens, which is logged
    wait_until(lambda: api.providers()["adyen"]["circuit"] == "open", "the circuit to open")
    expect_equal(api.get("/healthz"), {"alive": True}, "/healthz")
    server.terminate()
