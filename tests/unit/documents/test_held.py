"""The command that approves held deletes."""

from __future__ import annotations

import pytest

from extdns.config import parse
from extdns.documents.held import format_accept_command, format_approve_command


@pytest.mark.parametrize(
    ("flags", "command"),
    [
        pytest.param([], "extdns approve 7f3a-91c2", id="a-cluster"),
        pytest.param(
            ["--manifests=m", "--state-file=s.json"], "extdns approve 7f3a-91c2 --state-file=s.json", id="a-state-file"
        ),
        pytest.param(
            ["--kubeconfig=/my files/k", "--state-configmap=dns/held"],
            "extdns approve 7f3a-91c2 '--kubeconfig=/my files/k' --state-configmap=dns/held",
            id="another-cluster-and-configmap",
        ),
        pytest.param(["--state-configmap="], "extdns --approve=7f3a-91c2 [flags]", id="a-cluster-without-state"),
        pytest.param(["--manifests=m"], "extdns --approve=7f3a-91c2 [flags]", id="no-state"),
    ],
)
def test_the_approve_command_contains_the_flags_of_the_state_store_that_extdns_uses(
    flags: list[str], command: str
) -> None:
    config = parse(["--source=service", "--provider=inmemory", *flags], {})
    assert format_approve_command(config, "7f3a-91c2") == command
    assert format_accept_command(config, "7f3a-91c2") == command.replace("approve", "accept-cluster")
