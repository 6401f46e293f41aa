"""A process that stands still for a while, as under a debugger, a frozen virtual machine or a starved host."""

import signal
import time

from case import case, expect, expect_equal
from fixture import channel_text, wait_until
from load import Load, report_again

CONFIG = channel_text("payments", "adyen", "bank", webhook_timeout='"1s"')


@case
def a_pause_loses_nothing(site):
    """SIGSTOP for two seconds under load: everything is answered and counted once, time-outs come due once."""
    server = site.serve("--data", site.path("data"), config=CONFIG)
    api = server.api()
    load = Load(server.port, "tx", ["adyen"], seed=1)
    for number in range(10):
        api.report(f"pending_{number}", "bank", "pending")
    time.sleep(0.3)
    server.send(signal.SIGSTOP)
    time.sleep(2)
    server.send(signal.SIGCONT)
    time.sleep(0.3)
    load.stop()
    expect(not load.refused, f"reports were refused: {load.refused[:3]}")
    unanswered = [report.transaction for report in load.reports if not report.answered]
    expect(not unanswered, f"{unanswered} were not answered")
    expect_equal(api.providers()["adyen"]["total"], len(load.reports), "outcomes")
    expect(all(report_again(server.port, load.reports)), "a report was forgotten")
    wait_until(
        lambda: api.providers()["bank"]["total"] == 10,
        "the time-outs of pending transactions",
        lambda: str(api.providers()["bank"]),
    )
    time.sleep(0.3)
    expect_equal(api.providers()["bank"]["total"], 10, "outcomes of the pending transactions, a little later")
    expect_equal(api.get("/readyz")["ready"], True, "/readyz")
