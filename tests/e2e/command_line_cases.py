"""The program from the shell: exit statuses, checking, precedence, operating a running server."""

import json
import os
import socket
import stat

from case import case, expect, expect_equal, expect_in
from fixture import channel_text

ONE_CHANNEL = channel_text("payments", "adyen", "stripe", epsilon=0.01)


@case
def version_is_printed(site):
    status, out, _ = site.turnout("version")
    expect_equal(status, 0, "exit status")
    expect(out.startswith("turnout ") and out.count("\n") == 1, f"printed {out!r}")


@case
def wrong_use_is_exit_status_2(site):
    config = site.write("turnout.toml", ONE_CHANNEL)
    for arguments in (
        [],
        ["nothing"],
        ["serve", "--nothing"],
        ["serve", "--config"],
        ["serve", "--data", "x", "--memory"],
        ["serve", "extra"],
        ["check", config],
        ["open"],
        ["open", "payments"],
        ["close", "payments", "adyen", "extra"],
        ["open", "payments", "adyen", "--for", "soon"],
        ["version", "--nothing"],
    ):
        status, out, err = site.turnout(*arguments)
        expect_equal(status, 2, f"exit status of {arguments}: {out}{err}")
        expect(err or out, f"{arguments} said nothing")
    expect_equal(site.turnout("--help")[0], 0, "exit status of --help")
    expect_equal(site.turnout("serve", "--help")[0], 0, "exit status of serve --help")


@case
def check_names_every_problem_with_its_line(site):
    good = site.write("good.toml", ONE_CHANNEL)
    status, out, err = site.turnout("check", "--config", good)
    expect_equal((status, err), (0, ""), "a good file")
    expect_in("valid", out, "a good file")
    bad = site.write(
        "bad.toml",
        '[server]\nlisten = "nowhere"\nthread = 2\n\n[channels.payments]\nepsilon = 1.5\nwindow = 3600\n'
        '[[channels.payments.providers]]\nid = "a b"\n',
    )
    status, out, err = site.turnout("check", "--config", bad, "--set", "channels.payments.latency.k=-1")
    expect_equal(status, 1, f"exit status; {out}{err}")
    for line, key in ((2, "listen"), (3, "thread"), (6, "epsilon"), (7, "window"), (9, "id")):
        expect(any(f":{line}:" in text and key in text for text in err.splitlines()), f"line {line}, {key}, in:\n{err}")
    expect_in("channels.payments.latency.k", err, "the problem of the flag")
    serve_status, _, serve_err = site.turnout("serve", "--config", bad)
    expect_equal(serve_status, 1, "exit status of serve")
    expect_in(":6:", serve_err, "what serve says")
    expect_equal(site.turnout("check", "--config", site.path("missing.toml"))[0], 1, "exit status for a missing file")


@case
def flags_win_over_environment_and_environment_over_file(site):
    def epsilon(*arguments, environment=()):
        server = site.serve(*arguments, config=ONE_CHANNEL, environment=environment)
        value = server.api().get("/v1/channels/payments")
        server.terminate()
        return next(setting for setting in find(value, "epsilon"))

    variable = {"TURNOUT_CHANNELS_PAYMENTS_EPSILON": "0.02"}
    expect_equal(epsilon(), 0.01, "from the file")
    expect_equal(epsilon(environment=variable), 0.02, "from the environment")
    expect_equal(epsilon("--set", "channels.payments.epsilon=0.03", environment=variable), 0.03, "from the flag")


def find(value, name):
    """Everything that has this name anywhere in a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == name:
                yield inner
            yield from find(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from find(inner, name)


@case
def the_address_comes_from_flag_environment_or_file(site):
    config = '[server]\nlisten = "127.0.0.2:0"\n'
    variable = {"TURNOUT_LISTEN": "127.0.0.3:0"}
    expect_equal(site.serve(config=config, listen=None).address, "127.0.0.2", "from the file")
    expect_equal(
        site.serve(config=config, listen=None, environment=variable).address, "127.0.0.3", "from the environment"
    )
    expect_equal(
        site.serve(config=config, listen="127.0.0.4:0", environment=variable).address, "127.0.0.4", "from the flag"
    )
    status, _, err = site.turnout("serve", environment={"TURNOUT_LISTENING": "127.0.0.1:0"})
    expect_equal(status, 1, "exit status with a variable that means nothing")
    expect_in("TURNOUT_LISTENING", err, "what is said about it")


@case
def a_port_in_use_is_said(site):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        status, out, err = site.turnout("serve", "--listen", address)
    expect_equal((status, out), (1, ""), "exit status and output")
    expect_in(address, err, "the message")
    expect_in("in use", err, "the message")
    server = site.serve()
    status, _, err = site.turnout("serve", "--listen", f"127.0.0.1:{server.port}")
    expect_equal(status, 1, "exit status beside another server")
    expect_in("in use", err, "the message")
    expect_equal(server.api().get("/healthz"), {"alive": True}, "the first server")


@case
def a_data_folder_has_one_owner(site):
    data = site.path("data")
    server = site.serve("--data", data, config=ONE_CHANNEL)
    status, out, err = site.turnout("serve", "--listen", "127.0.0.1:0", "--data", data)
    expect_equal((status, out), (1, ""), "exit status and output")
    expect_in(data, err, "the message")
    expect_equal(server.api().report("tx_1", "adyen")["recorded"], True, "a report to the first server")
    server.terminate()
    again = site.serve("--data", data, config=ONE_CHANNEL)
    expect_equal(again.api().providers()["adyen"]["total"], 1, "outcomes after a restart")


@case
def a_data_folder_that_cannot_be_used_is_said(site):
    file = site.write("file", "")
    for data in (file, os.path.join(file, "below")):
        status, out, err = site.turnout("serve", "--listen", "127.0.0.1:0", "--data", data)
        expect_equal((status, out), (1, ""), "exit status and output")
        expect_in(file, err, "the message")
    os.mkdir(site.path("data"))
    names = state_files(site)
    for name in names:
        with open(os.path.join(site.path("data"), name), "wb") as garbage:
            garbage.write(b"this is no database" * 1000)
    status, out, err = site.turnout("serve", "--listen", "127.0.0.1:0", "--data", site.path("data"))
    expect_equal((status, out), (1, ""), f"exit status and output for files {names} that hold garbage")
    expect(err, "nothing was said about garbage")


def state_files(site):
    """The names of the database files that a server makes."""
    server = site.serve("--data", site.path("other"), config=ONE_CHANNEL)
    server.api().report("tx_1", "adyen")
    server.terminate()
    names = [
        name
        for name in os.listdir(site.path("other"))
        if os.path.getsize(os.path.join(site.path("other"), name)) >= 4096
    ]
    expect(names, "no file holds the state")
    return names


@case
def an_operator_works_from_the_shell(site):
    server = site.serve(config=ONE_CHANNEL)
    at = ("--server", server.url)
    status, out, err = site.turnout("providers", *at)
    expect_equal((status, err), (0, ""), "providers")
    expect_equal(
        [line.split()[:2] for line in out.splitlines()[1:]],
        [["payments", "adyen"], ["payments", "stripe"]],
        "the table",
    )
    status, out, _ = site.turnout(
        "open", "payments", "adyen", "--for", "30m", "--reason", "maintenance", "--author", "ana", *at
    )
    expect_equal(status, 0, "open")
    expect_in("open", out, "open")
    row = server.api().providers()["adyen"]
    expect_equal((row["circuit"], row["manual"]), ("open", True), "after open")
    status, out, _ = site.turnout("providers", "payments", "--json", *at)
    expect_equal(json.loads(out)["providers"][0]["circuit"], "open", "providers --json")
    expect_equal(site.turnout("close", "payments", "adyen", "--author", "ben", *at)[0], 0, "close")
    expect_equal(server.api().providers()["adyen"]["circuit"], "closed", "after close")
    audit = server.api().get("/v1/channels/payments/audit")["audit"]
    expect({"ana", "ben"} <= {entry["author"] for entry in audit}, f"the authors in {audit}")


@case
def a_word_that_is_no_command_is_named(site):
    status, out, err = site.turnout("frobnicate")
    expect_equal((status, out), (2, ""), "exit status and output")
    expect_in("frobnicate", err, "what was said")


@case
def what_is_written_is_not_for_everybody(site):
    """State and decision log name merchants and customers; they are readable by the server's user and group only."""
    config = ONE_CHANNEL + f'[decision_log]\ndirectory = "{site.path("log")}"\n'
    server = site.serve("--data", site.path("data"), config=config)
    server.api().route("tx")
    server.terminate()
    written = [site.path("data"), site.path("log")]
    written += [os.path.join(folder, name) for folder in written for name in os.listdir(folder)]
    expect(len(written) >= 4, f"only {written} were written")
    for path in written:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        expect(mode & 0o007 == 0, f"{path} has mode {mode:o}")


@case
def an_operator_is_told_what_went_wrong(site):
    server = site.serve(config=ONE_CHANNEL)
    at = ("--server", server.url)
    for arguments, said in (
        (["open", "payments", "nobody", *at], "404"),
        (["close", "nowhere", "adyen", *at], "404"),
        (["providers", "nowhere", *at], "404"),
    ):
        status, out, err = site.turnout(*arguments)
        expect_equal((status, out if arguments[0] != "providers" else ""), (1, ""), f"{arguments}")
        expect_in(said, err, f"{arguments}")
    server.terminate()
    status, _, err = site.turnout("providers", *at)
    expect_equal(status, 1, "without a server")
    expect(err, "nothing was said")
