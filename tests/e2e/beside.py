"""Good calls on a connection of their own, while a case does bad things to the same server."""

import threading

from case import expect
from wire import request

ROUTE = request("POST", "/v1/route", {"channel": "payments", "transaction_id": "good"})


class GoodCallsBeside(threading.Thread):
    """with GoodCallsBeside(server): … expects that every good call of that time was answered 200."""

    def __init__(self, server, tls=None):
        super().__init__(daemon=True)
        self.server, self.tls = server, tls
        self.stopping = threading.Event()
        self.answered = 0
        self.trouble = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        self.stopping.set()
        self.join(30)
        if kind is None:
            expect(self.trouble is None, f"a good call beside the bad ones: {self.trouble}")
            expect(self.answered > 0, "no good call was answered beside the bad ones")

    def run(self):
        try:
            with self.server.wire(self.tls) as wire:
                while self.answered == 0 or not self.stopping.wait(0.002):
                    wire.send(ROUTE)
                    answer = wire.answer()
                    if answer.status != 200:
                        self.trouble = answer
                        return
                    self.answered += 1
        except Exception as error:
            self.trouble = repr(error)
