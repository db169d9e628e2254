"""Which tests the CI script reports as not run when a tool is missing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.program.process import HANGS_S, ROOT

NEEDED: Final = (
    "bash",
    "chmod",
    "dirname",
    "env",
    "grep",
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
SERVERS: Final = ("named", "knotd", "nsd", "nsupdate")
POWERDNS: Final = ("pdns_server", "pdnsutil")
KERBEROS: Final = ("krb5kdc", "kdb5_util", "kadmin.local", "krb5-config", "cc")
MACHINERY: Final = ("etcd", "openssl", "apiextensions-apiserver")
BROWSER: Final = ("chromium", "chromedriver")
CHART_TOOLS: Final = ("helm", "kubeconform", "promtool", "prometheus", "kustomize")
WORKFLOWS: Final = "actionlint"
REGO_TOOLS: Final = ("opa", "conftest")
SHELLS: Final = ("zsh", "fish")
SHELL_LESS: Final = "mmdebstrap"
QUIET: Final = "exit 0"
NOT_RUN: Final = "NOT RUN: tests against the real API machinery "
NO_ORACLE: Final = "NOT RUN: templates compared with those of Go (go is not installed)"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Create a checkout without tests, and a folder with stubs of every program that the CI script looks for."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "bin").mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None, name
        (tmp_path / "bin" / name).symlink_to(found)
    servers = (*CHECKERS, *SERVERS, *POWERDNS, *KERBEROS)
    tools = (*CHART_TOOLS, WORKFLOWS, *REGO_TOOLS, SHELL_LESS, *BROWSER, *SHELLS)
    for name in ("git", "make", "python3", *servers, *tools):
        provide(tmp_path, name, QUIET)
    return tmp_path


def provide(clone: Path, name: str, does: str) -> None:
    """Add a program *name* to the PATH of *clone*: a shell script that runs *does*."""
    (clone / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
    (clone / "bin" / name).chmod(0o755)


def run(clone: Path) -> list[str]:
    """Run the CI script, check that it passes, and return the lines of its summary."""
    environ = {"PATH": str(clone / "bin"), "HOME": str(clone), "XDG_CACHE_HOME": str(clone / "cache")}
    done = subprocess.run(
        [clone / ".ci" / "run"], env=environ, capture_output=True, text=True, timeout=HANGS_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "CI: passed"
    assert all(line in done.stderr for line in lines if line.startswith("NOT RUN"))
    return [line for line in lines[lines.index("--- summary") + 1 : -1] if line != NO_ORACLE]


def test_the_ci_summary_is_empty_if_every_tool_is_installed(clone: Path) -> None:
    for name in MACHINERY:
        provide(clone, name, QUIET)
    assert run(clone) == []


def test_ci_builds_the_api_server_once_and_uses_it_again(clone: Path) -> None:
    for name in ("etcd", "openssl"):
        provide(clone, name, QUIET)
    built = "$GOBIN/apiextensions-apiserver"
    provide(clone, "go", f'[ "$1" = install ] && mkdir -p "$GOBIN" && echo "#!/bin/sh" >{built} && chmod +x {built}')
    provide(clone, "make", '[ -x "$EXTDNS_APISERVER" ] && echo "asks $EXTDNS_APISERVER"')
    first = run(clone)
    provide(clone, "go", "exit 1")
    assert run(clone) == first
    assert Path(first[0]).name == "apiextensions-apiserver"


def test_ci_builds_missing_chart_tools_once_and_uses_them_again(clone: Path) -> None:
    for name in (*MACHINERY, "go"):
        provide(clone, name, QUIET)
    for name in ("helm", "kubeconform", "kustomize"):
        (clone / "bin" / name).unlink()
    text = (
        'name=${GOBIN##*/}; mkdir -p "$GOBIN" && echo "#!/bin/sh" >"$GOBIN/${name%@*}" && chmod +x "$GOBIN/${name%@*}"'
    )
    provide(clone, "go", text)
    assert run(clone) == []
    provide(clone, "go", "exit 1")
    assert run(clone) == []


def test_the_ci_summary_names_each_chart_tool_that_is_not_installed(clone: Path) -> None:
    for name in MACHINERY:
        provide(clone, name, QUIET)
    for name in CHART_TOOLS:
        (clone / "bin" / name).unlink()
    assert run(clone) == [f"NOT RUN: tests of the chart that need {name} (not installed)" for name in CHART_TOOLS]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(WORKFLOWS, "workflows checked by actionlint (not installed)", id="actionlint"),
        *(pytest.param(name, f"rules in Rego that need {name} (not installed)", id=name) for name in REGO_TOOLS),
        pytest.param(
            SHELL_LESS,
            "the program without a shell on Python of Debian 13 (mmdebstrap is not installed)",
            id="mmdebstrap",
        ),
    ],
)
def test_the_ci_summary_names_the_tests_that_did_not_run_because_one_tool_is_missing(
    clone: Path, name: str, text: str
) -> None:
    for there in MACHINERY:
        provide(clone, there, QUIET)
    (clone / "bin" / name).unlink()
    assert run(clone) == [f"NOT RUN: {text}"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(name, f"{what} {' '.join(names)} (not installed)", id=name)
        for names, what in (
            (CHECKERS, "zone files checked by all of:"),
            (SERVERS, "extdns verify and two writers with all of:"),
            (POWERDNS, "provider rfc2136 with PowerDNS:"),
            (KERBEROS, "provider rfc2136 with Kerberos:"),
        )
        for name in names
    ],
)
def test_the_ci_summary_names_a_dns_server_or_zone_checker_that_is_not_installed(
    clone: Path, name: str, text: str
) -> None:
    for there in MACHINERY:
        provide(clone, there, QUIET)
    (clone / "bin" / name).unlink()
    assert run(clone) == [f"NOT RUN: {text}"]


def test_the_summary_says_that_kerberos_was_not_tested_if_gssapi_cannot_be_compiled(clone: Path) -> None:
    for there in MACHINERY:
        provide(clone, there, QUIET)
    provide(clone, "make", '[ "$1" != gssapi ]')
    assert run(clone) == ["NOT RUN: provider rfc2136 with Kerberos (gssapi cannot be compiled)"]


@pytest.mark.parametrize("name", SHELLS)
def test_the_ci_summary_names_a_shell_in_which_completion_was_not_tested(clone: Path, name: str) -> None:
    for there in MACHINERY:
        provide(clone, there, QUIET)
    (clone / "bin" / name).unlink()
    assert run(clone) == [f"NOT RUN: completion in {name} (not installed)"]


@pytest.mark.parametrize("name", BROWSER)
def test_the_ci_summary_says_that_the_page_was_not_tested_if_the_browser_is_missing(clone: Path, name: str) -> None:
    for there in MACHINERY:
        provide(clone, there, QUIET)
    (clone / "bin" / name).unlink()
    reason = "chromium or chromium-driver is not installed"
    assert run(clone) == [f"NOT RUN: tests of the live page in a browser ({reason})"]


def test_the_ci_summary_says_that_axe_core_was_not_run_if_npm_is_missing_or_fails(clone: Path) -> None:
    for there in MACHINERY:
        provide(clone, there, QUIET)
    line = "NOT RUN: accessibility checks of the live page (npm is not installed)"
    provide(clone, "make", f'[ "$1" != test ] || echo "SKIPPED [6] tests/slow/browser/test_layout.py:1: {line}"')
    assert run(clone) == [f"SKIPPED [6] tests/slow/browser/test_layout.py:1: {line}", line]


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        pytest.param([], "(etcd or openssl is not installed); only its fake was used", id="nothing"),
        pytest.param(
            ["etcd", "openssl"],
            "(go is not installed: no k8s.io/apiextensions-apiserver@v0.34.2); only its fake was used",
            id="no-go",
        ),
        pytest.param(
            ["etcd", "openssl", "go"],
            "(go install failed: no k8s.io/apiextensions-apiserver@v0.34.2); only its fake was used",
            id="no-build",
        ),
    ],
)
def test_the_ci_summary_says_why_the_real_api_server_was_not_used(clone: Path, there: list[str], reason: str) -> None:
    for name in there:
        provide(clone, name, "exit 1")
    assert run(clone) == [NOT_RUN + reason]
