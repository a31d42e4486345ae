"""Runs the tests that a Python package brings by pytest, for scripts that say how many of them are right."""
import os

import pytest

# Those of other packages that happen to be there are not part of it.
os.environ.setdefault("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


class Count:
    """What comes of each test: those that fail in any part are wrong, and those that skip themselves not counted.
    CHOSEN says of an item whether it is run."""

    def __init__(self, chosen):
        self.chosen, self.right, self.wrong = chosen, set(), set()

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self.chosen(item)]

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.wrong.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self.right.add(report.nodeid)


def run(*arguments, chosen=lambda item: True):
    """(the tests that are right, those that are wrong, whether pytest came to its end)"""
    count = Count(chosen)
    ended = pytest.main(["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-W", "ignore"] +
                        list(arguments), plugins=[count])
    # 0: all well; 1: some failed.
    return count.right - count.wrong, count.wrong, ended in (0, 1)
