"""Clients that report without pause and remember what they sent and when it was answered."""

import collections
import random
import threading
import time

from wire import Closed, Wire, request

# `answered` is None for a report that the server did not answer before it died.
Sent = collections.namedtuple("Sent", "transaction provider status sent answered")


class Client(threading.Thread):
    """One connection. What it sends follows from its seed; successes and failures, but never many failures in a row."""

    def __init__(self, port, name, providers, seed):
        super().__init__(daemon=True)
        self.port, self.label, self.providers = port, name, providers
        self.random = random.Random(seed)
        self.reports = []
        self.refused = []
        self.stopping = False

    def run(self):
        try:
            with Wire(self.port) as wire:
                while not self.stopping:
                    self._report(wire)
        except (Closed, OSError):
            pass

    def _report(self, wire):
        transaction = f"{self.label}_{len(self.reports)}"
        provider = self.random.choice(self.providers)
        status = "failure" if self.random.random() < 0.05 else "success"
        sent = time.monotonic()
        self.reports.append(Sent(transaction, provider, status, sent, None))
        wire.send(
            request(
                "POST",
                "/v1/report",
                {
                    "channel": "payments",
                    "transaction_id": transaction,
                    "provider": provider,
                    "status": status,
                    "failure_kind": "issuer",
                    "latency_ms": self.random.randrange(1000),
                },
            )
        )
        answer = wire.answer()
        if answer.status != 200:
            self.refused.append(answer)
        self.reports[-1] = Sent(transaction, provider, status, sent, time.monotonic())


class Flood(threading.Thread):
    """One connection that reports pending transactions, a hundred at a time, until the server refuses one or ends."""

    AT_ONCE = 100

    def __init__(self, port, name):
        super().__init__(daemon=True)
        self.port, self.label = port, name
        self.answered = []  # when each hundred was answered
        self.stopping = False
        self.start()

    def run(self):
        try:
            with Wire(self.port) as wire:
                while not self.stopping:
                    wire.send(self._reports(len(self.answered)))
                    if any([wire.answer().status != 200 for _ in range(self.AT_ONCE)]):
                        return
                    self.answered.append(time.monotonic())
        except (Closed, OSError):
            pass

    def all_known(self, wire, hundred):
        """Reports a hundred again: whether the server remembers each."""
        wire.send(self._reports(hundred))
        return all([b'"duplicate":true' in wire.answer().body for _ in range(self.AT_ONCE)])

    def _reports(self, hundred):
        report = {"channel": "slow", "provider": "bank", "status": "pending"}
        return b"".join(
            request("POST", "/v1/report", report | {"transaction_id": f"{self.label}_{hundred}_{number}"})
            for number in range(self.AT_ONCE)
        )


class Stalls(threading.Thread):
    """How long this machine kept a thread from running that wanted to, at most."""

    def __init__(self):
        super().__init__(daemon=True)
        self.longest = 0
        self.stopping = False
        self.start()

    def run(self):
        while not self.stopping:
            begin = time.monotonic()
            time.sleep(0.005)
            self.longest = max(self.longest, time.monotonic() - begin)


class Load:
    """Several clients."""

    def __init__(self, port, name, providers, seed, clients=6):
        self.clients = [Client(port, f"{name}_{number}", providers, seed * 100 + number) for number in range(clients)]
        for client in self.clients:
            client.start()

    def stop(self):
        """Lets the clients finish; those of a dead server end by themselves."""
        for client in self.clients:
            client.stopping = True
        for client in self.clients:
            client.join(30)
        return self

    @property
    def reports(self):
        return [report for client in self.clients for report in client.reports]

    @property
    def refused(self):
        return [answer for client in self.clients for answer in client.refused]


def report_again(port, reports):
    """Reports everything a second time, pipelined: for each whether it was remembered."""
    remembered = []
    with Wire(port) as wire:
        for begin in range(0, len(reports), 100):
            part = reports[begin : begin + 100]
            wire.send(
                b"".join(
                    request(
                        "POST",
                        "/v1/report",
                        {
                            "channel": "payments",
                            "transaction_id": report.transaction,
                            "provider": report.provider,
                            "status": report.status,
                            "failure_kind": "issuer",
                        },
                    )
                    for report in part
                )
            )
            remembered += [b'"duplicate":true' in wire.answer().body for _ in part]
    return remembered
