"""What all tests share: options, markers and Hypothesis profiles."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A path over a generated problem takes as long as it takes: no deadline, here or below.
settings.register_profile(
    "default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile("default")

# Folders of tests that run benchmarks, or that test the judges themselves.
SECOND_STAGE = {"benchmarks", "judges_selftest", "reproduction"}


def pytest_addoption(parser):
    parser.addoption(
        "--data",
        metavar="DIR",
        default=os.environ.get("WEIGHTPATH_DATA"),
        help="folder of the real data sets (default: the environment variable WEIGHTPATH_DATA)",
    )
    parser.addoption("--slow", action="store_true", help="run all tests, those marked slow too")
    parser.addoption(
        "--second-stage", action="store_true", help="run only the tests marked second_stage"
    )


def pytest_collection_modifyitems(config, items):
    home, everything = config.getoption("--data"), config.getoption("--slow")
    second_stage = config.getoption("--second-stage")
    for item in items:
        if item.path.parent.name in SECOND_STAGE:
            item.add_marker("second_stage")
    if second_stage:
        others = [item for item in items if "second_stage" not in item.keywords]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if "second_stage" in item.keywords]
    for item in items:
        if "slow" in item.keywords and not everything:
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))
        if "second_stage" in item.keywords and not everything and not second_stage:
            item.add_marker(pytest.mark.skip(reason="run with --second-stage or --slow"))
        for mark in item.iter_markers("data"):
            reason = missing_data(home, mark.args)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


def missing_data(home: str | None, folders: tuple[str, ...]) -> str | None:
    """Return why a test on the real data cannot run, or None if it can."""
    if not home:
        return "needs real data: name its folder by --data=DIR or WEIGHTPATH_DATA"
    absent = [folder for folder in folders if not Path(home, folder).is_dir()]
    if absent:
        return f"needs real data: no folder {', '.join(absent)} in {home}"
    return None


@pytest.fixture(scope="session")
def data_home(request) -> Path:
    """The folder of the real data sets; the test skips where none was named."""
    home = request.config.getoption("--data")
    reason = missing_data(home, ())
    if reason:
        pytest.skip(reason)
    return Path(home)


@pytest.fixture
def ctrl_c_interrupts():
    """Python's own answer to SIGINT, which a background job or nohup inherits as ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
