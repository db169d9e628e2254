"""A test whose name server is not installed fails in CI; elsewhere it is skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import nameservers, updatable
from tests.nameservers import RealServer
from tests.updatable import UpdatableServer


@pytest.fixture(params=["skipped", "in-ci"])
def outcome(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[BaseException]:
    """Hide all programs, and return what ends a test that needs one of them."""
    monkeypatch.setenv("PATH", "/nowhere")
    if request.param == "in-ci":
        monkeypatch.setenv("EXTDNS_EVERY_TEST", "true")
        return pytest.fail.Exception
    monkeypatch.delenv("EXTDNS_EVERY_TEST", raising=False)
    return pytest.skip.Exception


@pytest.mark.parametrize("program", updatable.PROGRAMS)
def test_a_test_of_updates_ends_with_a_message_that_names_the_missing_server(
    program: str, outcome: type[BaseException], tmp_path: Path
) -> None:
    with pytest.raises(outcome, match=rf"^NOT RUN: .* \({program}\b.* not installed\)"):
        UpdatableServer(program, tmp_path / "server")


@pytest.mark.parametrize("program", nameservers.PROGRAMS)
def test_a_test_of_served_zones_ends_with_a_message_that_names_the_missing_server(
    program: str, outcome: type[BaseException], tmp_path: Path
) -> None:
    with pytest.raises(outcome, match=rf"^NOT RUN: .* \({program} not installed\)"):
        RealServer(program, tmp_path / "server", {})
