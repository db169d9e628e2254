"""What CI says of the half of the tests that needs the real API machinery."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.integration.program import HANGS_S, ROOT

NEEDED: Final = (
    "bash",
    "chmod",
    "dirname",
    "env",
    "id",
    "mkdir",
    "mktemp",
    "nice",
    "rm",
    "sh",
    "tail",
    "tee",
    "timeout",
)
CHECKERS: Final = ("named-checkzone", "kzonecheck", "nsd-checkzone")
SERVERS: Final = ("named", "knotd", "nsd")
MACHINERY: Final = ("etcd", "openssl", "apiextensions-apiserver")
BROWSER: Final = ("chromium", "chromedriver")
CHART_TOOLS: Final = ("helm", "kubeconform", "promtool", "kustomize")
QUIET: Final = "exit 0"
NOT_RUN: Final = "NOT RUN: tests against the real API machinery "
NO_ORACLE: Final = "NOT RUN: templates were not held against Go's own (go is not installed)"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone in which there is nothing to test, and a folder of the programs that its CI finds."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "bin").mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None, name
        (tmp_path / "bin" / name).symlink_to(found)
    for name in ("git", "make", "python3", *CHECKERS, *SERVERS, *CHART_TOOLS, *BROWSER):
        provide(tmp_path, name, QUIET)
    return tmp_path


def provide(clone: Path, name: str, does: str) -> None:
    """Let there be a program."""
    (clone / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
    (clone / "bin" / name).chmod(0o755)


def run(clone: Path) -> list[str]:
    """The lines that CI prints, of which the last says how it ended."""
    environ = {"PATH": str(clone / "bin"), "HOME": str(clone), "XDG_CACHE_HOME": str(clone / "cache")}
    done = subprocess.run(
        [clone / ".ci" / "run"], env=environ, capture_output=True, text=True, timeout=HANGS_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "CI: passed"
    assert all(line in done.stderr for line in lines if line.startswith("NOT RUN"))
    return [line for line in lines[lines.index("--- summary") + 1 : -1] if line != NO_ORACLE]


def test_with_everything_there_it_says_nothing_of_it(clone: Path) -> None:
    for name in MACHINERY:
        provide(clone, name, QUIET)
    assert run(clone) == []


def test_it_builds_the_api_server_once(clone: Path) -> None:
    for name in ("etcd", "openssl"):
        provide(clone, name, QUIET)
    built = "$GOBIN/apiextensions-apiserver"
    provide(clone, "go", f'[ "$1" = install ] && mkdir -p "$GOBIN" && echo "#!/bin/sh" >{built} && chmod +x {built}')
    provide(clone, "make", '[ -x "$EXTDNS_APISERVER" ] && echo "asks $EXTDNS_APISERVER"')
    first = run(clone)
    provide(clone, "go", "exit 1")
    assert run(clone) == first
    assert Path(first[0]).name == "apiextensions-apiserver"


def test_it_builds_what_the_chart_is_shown_to_and_finds_it_again(clone: Path) -> None:
    for name in (*MACHINERY, "go"):
        provide(clone, name, QUIET)
    for name in ("helm", "kubeconform", "kustomize"):
        (clone / "bin" / name).unlink()
    said = (
        'name=${GOBIN##*/}; mkdir -p "$GOBIN" && echo "#!/bin/sh" >"$GOBIN/${name%@*}" && chmod +x "$GOBIN/${name%@*}"'
    )
    provide(clone, "go", said)
    assert run(clone) == []
    provide(clone, "go", "exit 1")
    assert run(clone) == []


def test_what_the_chart_was_not_shown_to_is_said(clone: Path) -> None:
    for name in MACHINERY:
        provide(clone, name, QUIET)
    for name in CHART_TOOLS:
        (clone / "bin" / name).unlink()
    assert run(clone) == [f"NOT RUN: tests of the chart that need {name} (not installed)" for name in CHART_TOOLS]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param(name, f"{what} {' '.join(names)} (not installed)", id=name)
        for names, what in (
            (CHECKERS, "zone files were not shown to all of:"),
            (SERVERS, "extdns verify did not ask all of:"),
        )
        for name in names
    ],
)
def test_a_dns_server_that_was_not_asked_is_said(clone: Path, name: str, said: str) -> None:
    for there in MACHINERY:
        provide(clone, there, QUIET)
    (clone / "bin" / name).unlink()
    assert run(clone) == [f"NOT RUN: {said}"]


@pytest.mark.parametrize("name", BROWSER)
def test_a_page_that_no_browser_saw_is_said(clone: Path, name: str) -> None:
    for there in MACHINERY:
        provide(clone, there, QUIET)
    (clone / "bin" / name).unlink()
    why = "chromium or chromium-driver is not installed"
    assert run(clone) == [f"NOT RUN: the live page was not looked at in a browser ({why})"]


@pytest.mark.parametrize(
    ("there", "why"),
    [
        pytest.param([], "(etcd or openssl is not installed); its fake alone was asked", id="nothing"),
        pytest.param(
            ["etcd", "openssl"],
            "(go is not installed: no k8s.io/apiextensions-apiserver@v0.34.2); its fake alone was asked",
            id="no-go",
        ),
        pytest.param(
            ["etcd", "openssl", "go"],
            "(go install failed: no k8s.io/apiextensions-apiserver@v0.34.2); its fake alone was asked",
            id="no-build",
        ),
    ],
)
def test_what_did_not_run_is_said_at_once_and_in_the_end(clone: Path, there: list[str], why: str) -> None:
    for name in there:
        provide(clone, name, "exit 1")
    assert run(clone) == [NOT_RUN + why]
