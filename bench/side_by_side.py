#!/usr/bin/env python3
"""Loads nginx `return 200` and `turnout serve` in turn and prints how they compare.

Both get the same requests over the same number of connections and answer with bodies of the same bytes, each with one
thread on one core; wrk has another core. nginx stands for the least that an HTTP answer costs on this machine. The two
take turns, and the ratios are medians over the rounds, so that a machine that is busy with other things for a while
spoils a round and not the result. Needs wrk, taskset and nginx (package nginx-light).
"""

import argparse
import collections
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from load.servers import Nginx, Turnout, on_core

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER_CORE, LOAD_CORE = 0, 1
LOADS = ("route", "report")

# What a ratio to nginx has to reach, and whether it is a least or a most.
TARGETS = {
    ("route", "throughput"): ("at least", 0.85),
    ("route", "cpu_us"): ("at most", 1.2),
    ("route", "p99_us"): ("at most", 2.0),
    ("report", "throughput"): ("at least", 0.7),
}
MOST_IDLE_MB = 30

Run = collections.namedtuple("Run", "throughput cpu_us p50_us p99_us busy loader_busy")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--binary", default=os.path.join(HERE, "..", "build", "release", "turnout"), help="a release build of turnout"
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=1, help="of each run; a round has four")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--only", choices=LOADS, help="one load instead of both")
    options = parser.parse_args()
    if not os.access(options.binary, os.X_OK):
        parser.error(f"{options.binary} is missing: cmake --preset release && cmake --build --preset release")
    for program in ("wrk", "taskset"):
        if not shutil.which(program):
            parser.error(f"{program} is missing")
    if not {SERVER_CORE, LOAD_CORE} <= os.sched_getaffinity(0):
        parser.error(f"cores {SERVER_CORE} and {LOAD_CORE} are needed, one for the server and one for the load")
    return options


def wrk(server, load, word, connections, seconds):
    """One run of wrk: what its script prints, and the processor time it took itself."""
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "-s",
        f"{load}.lua",
        f"http://127.0.0.1:{server.port}/v1/{load}",
        "--",
        word,
    ]
    before = os.times()
    finished = subprocess.run(on_core(LOAD_CORE, command), capture_output=True, text=True, cwd=f"{HERE}/load")
    after = os.times()
    if finished.returncode != 0:
        raise SystemExit(f"wrk failed: {finished.stderr}{finished.stdout}")
    result = json.loads(finished.stdout.splitlines()[-1])
    if result["failed"]:
        raise SystemExit(f"{server.name}: {result['failed']} of {result['requests']} {load} calls failed")
    result["loader_cpu"] = after.children_user + after.children_system - before.children_user - before.children_system
    return result


def measure(server, load, word, options):
    before = server.cpu_seconds()
    result = wrk(server, load, word, options.connections, options.seconds)
    cpu = server.cpu_seconds() - before
    duration = result["duration_us"] / 1e6
    return Run(
        result["requests"] / duration,
        1e6 * cpu / result["requests"],
        result["p50_us"],
        result["p99_us"],
        cpu / duration,
        result["loader_cpu"] / duration,
    )


def print_run(round_number, load, name, run):
    print(
        f"{round_number:5}  {load:6}  {name:7}  {run.throughput:9.0f}/s  {run.cpu_us:6.2f} us cpu",
        f"p50 {run.p50_us:6.0f} us  p99 {run.p99_us:6.0f} us",
        f"server {100 * run.busy:3.0f} %  wrk {100 * run.loader_busy:3.0f} %",
        sep="  ",
        flush=True,
    )


def run_rounds(servers, loads, options):
    """By load, for each round the runs of both servers by name. Who goes first alternates."""
    for server in servers:
        for load in loads:
            wrk(server, load, "warm", options.connections, 1)
    by_load = {load: [] for load in loads}
    for round_number in range(1, options.rounds + 1):
        order = servers if round_number % 2 else servers[::-1]
        for load in loads:
            runs = {}
            for server in order:
                runs[server.name] = measure(server, load, f"r{round_number:03d}", options)
                print_run(round_number, load, server.name, runs[server.name])
            by_load[load].append(runs)
    return by_load


def ratio_line(rounds, measure_name):
    """The median of the rounds' ratios, and a text that says more."""
    values = {name: [getattr(runs[name], measure_name) for runs in rounds] for name in ("turnout", "nginx")}
    ratios = [turnout / nginx for turnout, nginx in zip(values["turnout"], values["nginx"])]
    best = max if measure_name == "throughput" else min
    best_ratio = best(values["turnout"]) / best(values["nginx"])
    median = statistics.median(ratios)
    return median, f"{median:6.2f}   {min(ratios):.2f} to {max(ratios):.2f}   {best_ratio:4.2f}"


def print_ratios(by_load):
    """The medians beside their targets; whether all were reached."""
    all_reached = True
    print("\nturnout / nginx     median   least to most  best/best")
    for load, rounds in by_load.items():
        for measure_name in ("throughput", "cpu_us", "p99_us"):
            median, text = ratio_line(rounds, measure_name)
            if (load, measure_name) in TARGETS:
                direction, bound = TARGETS[load, measure_name]
                reached = median >= bound if direction == "at least" else median <= bound
                all_reached &= reached
                text += f"   target: {direction} {bound}, {'reached' if reached else 'NOT reached'}"
            print(f"  {load:6} {measure_name:10} {text}")
    return all_reached


def print_resident(store, megabytes):
    reached = megabytes <= MOST_IDLE_MB
    word = "reached" if reached else "NOT reached"
    print(f"idle, {store} store: {megabytes:.1f} MB resident  target: at most {MOST_IDLE_MB}, {word}")
    return reached


def measure_file_store(binary, folder):
    server = Turnout(binary, folder, SERVER_CORE, ["--data", os.path.join(folder, "data")])
    try:
        server.typical_answers()
        return server.resident_mb()
    finally:
        server.stop()


def main():
    options = parse_arguments()
    servers = []
    with tempfile.TemporaryDirectory() as folder:
        reached = print_resident("file", measure_file_store(options.binary, folder))
        try:
            turnout = Turnout(options.binary, folder, SERVER_CORE, ["--memory"])
            servers.append(turnout)
            answers = turnout.typical_answers()
            reached &= print_resident("memory", turnout.resident_mb())
            servers.insert(0, Nginx(folder, SERVER_CORE, answers))
            sizes = ", ".join(f"{path} {len(body)} bytes" for path, body in answers.items())
            print(f"answers: {sizes}; {options.connections} connections; runs of {options.seconds} s\n")
            loads = (options.only,) if options.only else LOADS
            reached &= print_ratios(run_rounds(servers, loads, options))
            print(f"\nafter the load, memory store: {turnout.resident_mb():.1f} MB resident")
        finally:
            for server in servers:
                server.stop()
    print("all targets reached" if reached else "some targets NOT reached")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
