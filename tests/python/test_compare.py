# SPDX-License-Identifier: MIT
"""Comparisons, and the pytest plugin over them."""
import cured
import pytest
from conftest import FAKE
from test_result import as_rows

HOW = {"tile": [1, 2], "blocks": [1, 2], "device": "fake:0", "progress": False}
TEST = f"""
import cured

def test_speed(cured_compare):
    result = cured.sweep({str(FAKE)!r}, tile=[1, 2], blocks=[1, 2], device="fake:0",
                         progress=False, output="after.cured", force=True)
    assert cured_compare(result) is result
"""


@pytest.fixture
def before(fake, folder):
    return cured.sweep(FAKE, output=folder / "before.cured", **HOW)


def test_compare(before, fake):
    fake("percent=10")
    after = cured.sweep(FAKE, output="after.cured", **HOW)
    comparison = cured.compare(before, after)
    assert comparison.verdicts["worse"] == 4 and len(comparison.failing) == 4
    assert {row["verdict"] for row in as_rows(comparison.cells)} == {"worse"}
    assert "4 worse" in repr(comparison)
    assert cured.compare(before, after, fail_on="15%").failing == []
    back = cured.compare(after, before)
    assert back.verdicts["better"] == 4 and back.failing == []


@pytest.fixture
def run(pytester):
    """In a process of its own, with the plugin as a wheel registers it."""
    pytester.makepyfile(TEST)
    return lambda *words: pytester.runpytest_subprocess("-p", "cured._pytest", *words)


@pytest.mark.parametrize("what, failed", [("", 0), ("percent=10", 1), ("fail=2", 1)])
def test_plugin(before, fake, run, what, failed):
    """A cell that is slower, or not ok any more, fails the test."""
    fake(what)
    done = run("--cured-compare", before.path)
    done.assert_outcomes(passed=1 - failed, failed=failed)
    if what.startswith("percent"):
        done.stdout.fnmatch_lines(["fake is worse than in *before.cured in 4 of 4 cells:",
                                   "  tile=1 blocks=1 n=64: time * ns (+10.0%)"])
    elif what:
        done.stdout.fnmatch_lines(["*blocks=2*not ok now"])


def test_plugin_without_option(before, fake, run):
    fake("percent=10")
    run().assert_outcomes(passed=1)


def test_plugin_of_another_kernel(before, fake, run, recorded):
    """Of several files, that of the kernel counts."""
    fake("percent=10")
    run("--cured-compare", recorded.path).assert_outcomes(passed=1)
    run("--cured-compare", recorded.path, "--cured-compare",
                                 before.path).assert_outcomes(failed=1)
