"""A test whose program is not installed fails in CI; elsewhere it is skipped. Both say how to install it."""

from __future__ import annotations

import pytest

from tests.required_programs import require_program, require_programs


@pytest.mark.parametrize(
    ("program", "how"),
    [
        ("knotd", "apt-get install knot"),
        ("opa", "go install github.com/open-policy-agent/opa@"),
        ("kubectl-1.37", ".ci/build-kubernetes v1.37"),
        ("external-dns-0.22", ".ci/build-external-dns v0.22"),
    ],
)
@pytest.mark.parametrize("in_ci", [True, False], ids=["in-ci", "elsewhere"])
def test_a_test_without_its_program_ends_with_the_command_that_installs_it(
    program: str, how: str, *, in_ci: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("EXTDNS_EVERY_TEST", "true" if in_ci else "")
    outcome = pytest.fail.Exception if in_ci else pytest.skip.Exception
    with pytest.raises(outcome, match=f"^NOT RUN: zones: {program} is not installed: {how}"):
        require_program("zones", program)
    with pytest.raises(outcome):
        require_programs("zones", program)
