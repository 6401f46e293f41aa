#!/usr/bin/env python3
"""Runs the cases that need real processes.

They are those of this folder, and those of ../chaos, which kill, stop and starve servers. Prints a line for each case
and at the end `N passed, N failed`; the exit status is 0 when something passed and nothing failed.
"""

import argparse
import os
import re
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "chaos"))

import access_cases
import body_cases
import command_line_cases
import disk_cases
import flow_cases
import kill_cases
import pause_cases
import signal_cases
import wire_cases
from case import CASES, Failure
from fixture import Site


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="the turnout program")
    parser.add_argument("--xml", metavar="FILE", help="also write the results as GoogleTest would")
    parser.add_argument("--jobs", type=int, default=3, help="cases at once; most of them wait most of the time")
    parser.add_argument("names", nargs="*", metavar="REGEX", help="only cases whose name matches one of these")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    return options


def run(binary, function):
    """Runs one case: what went wrong, or None, and the seconds it took."""
    begin = time.monotonic()
    problem = None
    with tempfile.TemporaryDirectory(prefix="turnout-") as folder:
        site = Site(binary, folder)
        try:
            function(site)
            site.finish()
        except Failure as failure:
            problem = str(failure)
        except Exception:
            problem = traceback.format_exc()
        if problem:
            problem += site.describe()
        site.abandon()
    return problem, time.monotonic() - begin


def write_xml(path, results):
    failures = sum(problem is not None for _, problem, _ in results)
    suites = ElementTree.Element("testsuites", name="e2e", tests=str(len(results)), failures=str(failures))
    for function, problem, seconds in results:
        case = ElementTree.SubElement(suites, "testcase", name=function.__name__, classname=function.__module__)
        case.attrib.update(status="run", result="completed", time=f"{seconds:.3f}")
        if problem is not None:
            # XML has no word for most control characters.
            message = re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", problem)
            ElementTree.SubElement(case, "failure", message=message)
    ElementTree.indent(suites)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    ElementTree.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def main():
    options = parse_arguments()
    chosen = [
        function
        for function in CASES
        if not options.names or any(re.search(name, function.__name__) for name in options.names)
    ]
    results = []

    def run_and_print(function):
        problem, seconds = run(options.binary, function)
        results.append((function, problem, seconds))
        lines = f"{'FAILED' if problem else 'passed'}  {seconds:5.1f} s  {function.__module__}.{function.__name__}"
        # In one piece, for others print at the same time.
        print(lines + (f"\n{problem}\n" if problem else "\n"), end="", flush=True)

    # Those whose times are measured have the machine to themselves.
    alone = [function for function in chosen if function.__module__ in ("kill_cases", "pause_cases")]
    for function in alone:
        run_and_print(function)
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run_and_print, [function for function in chosen if function not in alone]))
    if options.xml:
        write_xml(options.xml, results)
    failed = sum(problem is not None for _, problem, _ in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 0 if results and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
