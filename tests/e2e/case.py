"""What a case is, and what it may expect."""

CASES = []


class Failure(Exception):
    """An expectation that was not met."""


def case(function):
    """Registers a case: a function of a Site (fixture.py). Its name says what must hold."""
    CASES.append(function)
    return function


def expect(condition, message):
    if not condition:
        raise Failure(message)


def expect_equal(actual, expected, what):
    expect(actual == expected, f"{what}: expected {expected!r}, got {actual!r}")


def expect_in(part, whole, what):
    expect(part in whole, f"{what}: expected {part!r} in {whole!r}")
