"""`extdns` without a subcommand, in the process of the test."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns import cli
from extdns.app import assembly
from extdns.app.assembly import Assembly
from extdns.commands import run
from extdns.config import Config, parse
from extdns.controller.exit_codes import NOTHING_IN_SCOPE
from extdns.controller.stop_signals import StopSignals
from extdns.errors import UsageError
from tests.objects import service
from tests.program.installation import Installation
from tests.program.running import HastyClock


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    found = Installation(tmp_path, example_org="")
    found.replace_manifests(service("web", "web.example.org"))
    return found


def run_main(installation: Installation, *more: str) -> int:
    """Run the program with the flags of *installation*; flags in *more* replace those of the same name."""
    replaced = {flag.partition("=")[0] for flag in more}
    kept = (flag for flag in installation.flags() if flag.partition("=")[0] not in replaced)
    with StopSignals() as signals:
        return run.main(parse([*kept, *more], {}), signals)


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    """Assert that the main threads of each test have ended. Threads that read or write zones may end later."""
    before = set(threading.enumerate())
    yield
    left = [thread.name for thread in threading.enumerate() if thread not in before]
    assert not set(left) & {"manifests", "follower", "web"}


def test_a_dry_run_prints_its_plan(installation: Installation, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(installation, "--once", "--dry-run") == 0
    assert capsys.readouterr().out == (
        "Zone example.org (example.org.zone, zonefile)  1 record, 0 ours\n\n"
        "  + A  web.example.org  192.0.2.1  Service shop/web: annotation hostname\n\n"
        "1 to create, 0 to update, 0 to delete.\n"
    )
    assert installation.zones.published() == []


def test_a_single_pass_exits_with_1_if_a_record_cannot_be_published(installation: Installation) -> None:
    installation.replace_manifests(service("web", "web.example.org", annotations={"set-identifier": "blue"}))
    assert run_main(installation, "--once") == 1


def test_a_single_pass_exits_with_1_if_the_state_file_that_a_flag_names_cannot_be_used(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    for _ in range(2):
        assert run_main(installation, "--once", f"--state-file={state}") == 0
        state.unlink()
    state.write_text("[]")
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    assert run_main(installation, "--once", f"--state-file={state}") == 1


def test_a_plan_is_incomplete_if_the_state_file_that_a_flag_names_cannot_be_used(
    installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").write_text("[]")
    monkeypatch.setattr(assembly, "SystemClock", HastyClock)
    flags = installation.flags(f"--state-file={tmp_path / 'state'}")
    assert cli.main(["plan", *flags], {}) == 1
    assert (
        "\nINCOMPLETE: earlier holds are unknown: the saved state was not read: state file " in capsys.readouterr().out
    )


def test_a_single_pass_exits_with_1_after_an_unexpected_error(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object, __: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("extdns.controller.reporter.ActivityReporter.report_decisions", broken)
    assert run_main(installation, "--once") == 1
    assert installation.zones.published() == ["web.example.org A 192.0.2.1"]


@pytest.mark.parametrize(
    ("mode", "code"), [pytest.param(["--once"], 1, id="once"), pytest.param([], 0, id="continuous")]
)
def test_a_signal_during_the_start_ends_a_single_pass_with_1_and_any_other_run_with_0(
    installation: Installation,
    mode: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assemble = assembly.assemble

    def assemble_signalled(settings: Config) -> Assembly:
        os.kill(os.getpid(), signal.SIGTERM)
        return assemble(settings)

    monkeypatch.setattr(assembly, "assemble", assemble_signalled)
    assert run_main(installation, *mode) == code
    assert "Received SIGTERM. Terminating..." in capsys.readouterr().err


@pytest.mark.parametrize(
    "flag", ["--txt-prefix= ", "--service-type-filter=x", "--zonefile-dir=/nowhere", "--manifests=/nowhere"]
)
def test_a_usage_error_found_during_assembly_leaves_no_thread_running(installation: Installation, flag: str) -> None:
    with pytest.raises(UsageError):
        run_main(installation, flag)


def test_the_configuration_and_each_flag_that_has_no_effect_are_logged_at_the_start(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    run_main(installation, "--once", "--events", "--dry-run")
    output = capsys.readouterr().err.splitlines()
    (configured,) = (line for line in output if "msg=Configuration" in line)
    for part in ("once=true", "compat=false", 'source="service, ingress"', "interval=1m", "txt-owner-id=me"):
        assert f" {part}" in configured
    (moot,) = (line for line in output if "level=warning" in line)
    assert "--events has no effect" in moot
    (dry,) = (line for line in output if "dry-run mode" in line)
    assert 'msg="running in dry-run mode. No changes to DNS records will be made."' in dry


def test_the_warning_about_a_renamed_flag_does_not_say_that_the_flag_has_no_effect(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    run_main(installation, "--once", "--dry-run", "--request-timeout=20s")
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "--request-timeout is" in line)
    assert ' level=warning msg="Notice about a flag" ' in line


def test_the_warning_about_a_flag_value_without_effect_is_a_single_log_line(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_main(installation, "--once", "--dry-run", "--managed-record-types=A,TXT")
    assert code == NOTHING_IN_SCOPE, "no record type is left"
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "Flag value has no effect" in line)
    assert " level=warning " in line
    assert line.endswith(
        'warning="--managed-record-types=A,TXT is not a record type: it matches nothing; '
        'commas do not separate; write --managed-record-types=A --managed-record-types=TXT"'
    )


def test_plan_warns_on_standard_error_about_a_flag_value_without_effect(
    installation: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = (f"--manifests={installation.manifests}", "--source=service", "--provider=zonefile", "--output=json")
    assert (
        cli.main(["plan", *flags, f"--zonefile-dir={installation.zones.folder}", "--domain-filter=a.test,b.test"], {})
        == 4
    )
    output = capsys.readouterr()
    assert output.out.startswith("{")
    assert output.err == (
        "warning: --domain-filter=a.test,b.test is not a domain: it matches nothing\n"
        "  commas do not separate; write --domain-filter=a.test --domain-filter=b.test\n"
    )
