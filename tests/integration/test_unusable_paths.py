"""A path that no file can have is one clear message, or counts as no file: never a stack trace."""

from __future__ import annotations

import pytest

from extdns import cli

TOO_LONG = "a" * 300
MEMORY = ("--provider=inmemory", "--inmemory-zone=example.org")


@pytest.mark.parametrize("path", [TOO_LONG, "~nobody-has-this-name/x"], ids=["too-long", "unknown-user"])
@pytest.mark.parametrize(
    "flags",
    [
        pytest.param(("--provider=zonefile", "--source=empty", "--zonefile-dir"), id="zonefile-dir"),
        pytest.param((*MEMORY, "--source=empty", "--state-file"), id="state-file"),
        pytest.param((*MEMORY, "--source=service", "--kubeconfig"), id="kubeconfig"),
        pytest.param((*MEMORY, "--source=service", "--manifests"), id="manifests"),
    ],
)
def test_a_path_of_a_flag_that_cannot_be_used_is_reported_with_its_flag(
    flags: tuple[str, ...], path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "--txt-owner-id=me", *flags[:-1], f"{flags[-1]}={path}"], {}) == 1
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert f"{flags[-1]}={path}" in shown.out + shown.err


def test_an_audit_log_whose_name_is_too_long_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--txt-owner-id=me", *MEMORY, "--source=empty", f"--audit-log={TOO_LONG}"], {}) == 1
    shown = capsys.readouterr().err
    assert shown.startswith(f"error: --audit-log={TOO_LONG} ")
    assert "Traceback" not in shown


def test_a_home_folder_that_cannot_be_searched_counts_as_one_without_kubeconfig(
    capsys: pytest.CaptureFixture[str],
) -> None:
    flags = (*MEMORY, "--source=service", "--txt-owner-id=me", "--once")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", f"/{TOO_LONG}")
        patch.delenv("KUBECONFIG", raising=False)
        patch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        assert cli.main(flags) == 1
    shown = capsys.readouterr().err
    assert "there is no cluster to read: no kubeconfig was found" in shown
    assert "Traceback" not in shown


def test_a_path_of_rules_that_does_not_exist_is_reported_with_what_the_flag_allows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    flags = (*MEMORY, "--source=empty", "--txt-owner-id=me", "--once", "--manifests=/dev/null")
    assert cli.main([*flags, "--policy-rules=missing"], {}) == 1
    shown = capsys.readouterr().err
    assert "--policy-rules=missing cannot be read: No such file or directory; allowed: a file, a folder, or cl" in shown
