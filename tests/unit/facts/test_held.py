"""The command that releases what is held."""

from __future__ import annotations

import pytest

from extdns.config import parse
from extdns.facts.held import release_command


@pytest.mark.parametrize(
    ("flags", "command"),
    [
        pytest.param([], "extdns release 7f3a-91c2", id="a-cluster"),
        pytest.param(
            ["--manifests=m", "--state-file=s.json"], "extdns release 7f3a-91c2 --state-file=s.json", id="a-state-file"
        ),
        pytest.param(["--manifests=m"], "extdns --release=7f3a-91c2 [flags]", id="no-state"),
    ],
)
def test_the_command_is_one_that_works(flags: list[str], command: str) -> None:
    config = parse(["--source=service", "--provider=inmemory", *flags], {})
    assert release_command(config, "7f3a-91c2") == command
