"""A disk that takes no more: routing goes on, the server says so, and recovers by itself."""

import contextlib
import os
import resource
import subprocess
import time

from case import case, expect, expect_equal, expect_in
from fixture import channel_text, wait_until
from load import Load, report_again

CONFIG = channel_text("payments", "adyen", "stripe", sweep_interval='"100ms"')


class LimitedFiles:
    """No file of the server may reach beyond its first pages: writes fail with EFBIG. The log fits in."""

    LIMIT = 16 * 1024

    def __init__(self, folder):
        self.folder = folder

    def fill(self, server):
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (self.LIMIT, resource.RLIM_INFINITY))

    def empty(self, server):
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


class SmallDisk:
    """A file system of a few megabytes, filled by another file: writes fail with ENOSPC."""

    def __init__(self, folder):
        self.folder = folder

    def fill(self, _):
        with open(os.path.join(self.folder, "filler"), "wb", buffering=0) as filler:
            with contextlib.suppress(OSError):
                while filler.write(b"x" * 4096):
                    pass

    def empty(self, _):
        os.remove(os.path.join(self.folder, "filler"))


@contextlib.contextmanager
def small_disk(site):
    """A small file system where this user may mount one, limited files where not."""
    folder = site.path("disk")
    os.mkdir(folder)
    mounted = (
        os.geteuid() == 0
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m", "turnout-test", folder], capture_output=True
        ).returncode
        == 0
    )
    try:
        yield SmallDisk(folder) if mounted else LimitedFiles(folder)
    finally:
        if mounted:
            site.abandon()
            subprocess.run(["umount", "-l", folder], check=True)


def survive(site, disk):
    """Fills the disk under load and makes room again."""
    data = os.path.join(disk.folder, "data")
    # Python ignores SIGXFSZ, and a server started so gets the error instead of the signal.
    server = site.serve("--data", data, config=CONFIG, restore_signals=False)
    api = server.api()
    reports = Load(server.port, "before", ["adyen"], seed=1, clients=2)
    wait_until(lambda: len(reports.reports) > 50, "some reports")
    reports = reports.stop().reports
    expect_equal(api.get("/readyz")["ready"], True, "/readyz before")

    disk.fill(server)
    load = Load(server.port, "full", ["adyen"], seed=2, clients=2)
    wait_until(lambda: api.ask("GET", "/readyz").status == 503, "/readyz to say that the disk is full")
    problem = api.ask("GET", "/readyz").body["store"]
    expect(not problem["available"] and problem["problem"], f"/readyz: {problem}")
    expect_equal(api.metric("turnout_store_available"), 0, "turnout_store_available")
    expect(api.metric("turnout_store_failed_writes_total") > 0, "failed writes were not counted")
    server.wait_for_log(problem["problem"])
    for number in range(50):
        expect(api.route(f"tx_{number}")["provider"] in ("adyen", "stripe"), "no decision while the disk is full")
    expect_equal(api.report("while_full", "stripe")["recorded"], True, "a report while the disk is full")
    expect_equal(api.get("/healthz"), {"alive": True}, "/healthz")
    load.stop()
    expect(not load.refused, f"reports were refused: {load.refused[:3]}")
    reports += load.reports

    disk.empty(server)
    wait_until(lambda: api.ask("GET", "/readyz").status == 200, "/readyz to say that all is well again")
    expect_equal(api.metric("turnout_store_available"), 1, "turnout_store_available")
    expect_equal(api.providers()["adyen"]["total"], len(reports), "outcomes")
    server.terminate()
    server = site.serve("--data", data, config=CONFIG)
    totals = {provider: row["total"] for provider, row in server.api().providers().items()}
    expect_equal(totals, {"adyen": len(reports), "stripe": 1}, "outcomes after a restart")
    expect(all(report_again(server.port, reports)), "a report was forgotten")
    server.terminate()


@case
def a_full_disk_does_not_stop_routing(site):
    with small_disk(site) as disk:
        survive(site, disk)


@case
def failing_writes_do_not_stop_routing(site):
    os.mkdir(site.path("disk"))
    survive(site, LimitedFiles(site.path("disk")))


@case
def a_disk_that_is_full_at_the_start_is_said(site):
    with small_disk(site) as disk:
        if isinstance(disk, SmallDisk):
            disk.fill(None)
            status, out, err = site.turnout(
                "serve", "--listen", "127.0.0.1:0", "--data", os.path.join(disk.folder, "data")
            )
        else:
            limit = [
                "prlimit",
                "--fsize=0",
                site.binary,
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--data",
                os.path.join(disk.folder, "data"),
            ]
            finished = subprocess.run(
                ["env", "--ignore-signal=XFSZ", *limit], capture_output=True, text=True, cwd=site.folder
            )
            status, out, err = finished.returncode, finished.stdout, finished.stderr
        expect_equal((status, out), (1, ""), f"exit status and output; {err}")
        expect(err, "nothing was said")


@case
def changes_that_are_lost_at_the_end_are_said(site):
    """The disk is still full when the server stops: it says so, and its exit status does."""
    with small_disk(site) as disk:
        server = site.serve(
            "--data", os.path.join(disk.folder, "data"), config=CONFIG, restore_signals=False
        )
        api = server.api()
        expect_equal(api.report("kept", "adyen")["recorded"], True, "a report before")
        time.sleep(0.5)
        disk.fill(server)
        for number in range(200):
            api.report(f"lost_{number}", "adyen")
        server.terminate(status=1)
        expect_in("the last changes are lost", server.log(), "the log")
