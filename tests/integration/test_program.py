"""The extdns process: its inputs, its output, its exit codes, and that no error shows a stack trace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.route53.server import Route53
from tests.objects import service, services
from tests.program.installation import Installation
from tests.program.process import COMMAND, HANGS_S, environment, once, running
from tests.route53 import environ

QUIET = ("--log-level=error", "--metrics-address=127.0.0.1:0")
WEB = service("web", "web.example.org")


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """Create one Service, and an empty zone file."""
    found = Installation(tmp_path, example_org="")
    found.replace_manifests(WEB)
    return found


def flags(installation: Installation, *more: str, manifests: bool = True) -> list[str]:
    own = [f"--manifests={installation.manifests}"] if manifests else []
    return [
        *own,
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={installation.zones.folder}",
        "--txt-owner-id=me",
        *more,
    ]


# ---- inputs


def test_an_invalid_document_on_standard_input_is_reported_and_the_others_are_published(
    installation: Installation,
) -> None:
    text = f"{json.dumps(WEB)}\n---\nkind: [\n---\n{json.dumps(service('api', 'api.example.org'))}\n"
    ended = once(*flags(installation, "--manifests=-", "--once", *QUIET, manifests=False), stdin=text)
    assert 'place="standard input:' in ended.stderr
    assert installation.zones.published() == ["api.example.org A 192.0.2.1", "web.example.org A 192.0.2.1"]


# ---- errors


# ---- output


@pytest.mark.parametrize("arguments", [pytest.param(["--help"], id="help"), pytest.param(None, id="a plan")])
def test_a_closed_standard_output_causes_no_error(installation: Installation, arguments: list[str] | None) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, *(arguments or flags(installation, "--once", "--dry-run", *QUIET))]
    ended = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, env=environment(), timeout=HANGS_S, check=False
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_records_are_published_although_the_reader_of_the_log_is_gone(installation: Installation) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, *flags(installation, "--once", "--metrics-address=127.0.0.1:0")]
    ended = subprocess.run(command, stderr=writer, env=environment(), timeout=HANGS_S, check=False)
    os.close(writer)
    assert ended.returncode == 0
    assert installation.zones.published() == ["web.example.org A 192.0.2.1"]


def test_a_run_succeeds_with_standard_input_output_and_error_closed(installation: Installation) -> None:
    command = [
        "sh",
        "-c",
        'exec "$@" <&- >&- 2>&-',
        "sh",
        *COMMAND,
        *flags(installation, "--once", "--dry-run", *QUIET),
    ]
    assert subprocess.run(command, env=environment(), timeout=HANGS_S, check=False).returncode == 0


def test_the_plan_is_printed_with_escapes_if_the_encoding_is_ascii(installation: Installation) -> None:
    installation.replace_manifests(service("web", "web.example.org", annotations={"ttl": "60"}))
    installation.run_once()
    installation.replace_manifests(service("web", "web.example.org", annotations={"ttl": "90"}))
    command = (*COMMAND, *flags(installation, "--once", "--dry-run", *QUIET))
    environ = environment(PYTHONIOENCODING="ascii")
    ended = subprocess.run(command, env=environ, text=True, capture_output=True, timeout=HANGS_S, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "ttl 60 s \\u2192 90 s" in ended.stdout


def test_two_dry_runs_print_the_same_plan_and_change_no_zone_file(installation: Installation) -> None:
    installation.replace_manifests(*(service(f"web-{number}", f"web-{number}.example.org") for number in range(20)))
    state = installation.zones.contents()
    plans = [once(*flags(installation, "--once", "--dry-run", *QUIET)).stdout for _ in range(2)]
    assert plans[0] == plans[1]
    assert plans[0].endswith("\n20 to create, 0 to update, 0 to delete.\n")
    assert installation.zones.contents() == state


def test_with_log_format_json_every_log_line_is_json(installation: Installation) -> None:
    ended = once(*flags(installation, "--once", "--log-format=json", "--metrics-address=127.0.0.1:0"))
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    assert {frozenset(("time", "level", "msg"))} == {frozenset(line) & {"time", "level", "msg"} for line in lines}
    (change,) = (line for line in lines if line["msg"].startswith("Desired change"))
    assert change["msg"] == "Desired change: CREATE web.example.org A"
    assert (change["zoneName"], change["zoneID"], change["level"]) == ("example.org", "example.org.zone", "info")


@pytest.mark.parametrize(
    ("more", "zone_name", "prefix"),
    [
        pytest.param(("--compat", "--policy=sync"), "example.org.", "/hostedzone/", id="compat"),
        pytest.param((), "example.org", "", id="extdns"),
    ],
)
def test_log_lines_spell_hosted_zones_as_external_dns_does_only_with_compat(
    more: tuple[str, ...], zone_name: str, prefix: str, tmp_path: Path
) -> None:
    with Route53() as dns:
        zone_id = dns.add_zone("example.org")
        installation = Installation(tmp_path, dns_flags=("--provider=aws",))
        installation.replace_manifests(service("web"))
        ended = once(*installation.flags("--once", "--log-format=json", *more), env=environ(dns))
    changes = [json.loads(line) for line in ended.stderr.splitlines() if "Desired change" in line]
    assert {(line["zoneName"], line["zoneID"]) for line in changes} == {(zone_name, f"{prefix}{zone_id}")}


# ---- end of the process


def test_sigterm_during_startup_imports_ends_extdns_with_exit_code_0(installation: Installation) -> None:
    command = (COMMAND[0], "-X", "importtime", *COMMAND[1:], *flags(installation, "--metrics-address=127.0.0.1:0"))
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment()) as process:
        watchdog = threading.Timer(HANGS_S, process.kill)
        watchdog.start()
        assert process.stderr is not None
        next(line for line in process.stderr if line.endswith(" extdns.log\n"))  # before the sources are imported
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
        watchdog.cancel()
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_sigterm_and_sigint_end_extdns_with_exit_code_0(installation: Installation, number: signal.Signals) -> None:
    with running(*flags(installation, "--metrics-address=127.0.0.1:0")) as program:
        program.until("successfully updated")
        assert program.end(number) == 0
    messages = [line.partition(" msg=")[2] for line in program.lines[-2:]]
    assert messages == [f'"Received {number.name}. Terminating..."', '"Terminating main controller loop"']


@pytest.fixture
def silent() -> Iterator[int]:
    """Open a standard input that neither has data nor ends."""
    read_end, write_end = os.pipe()
    yield read_end
    os.close(read_end)
    os.close(write_end)


@pytest.mark.parametrize(
    ("mode", "code"), [pytest.param([], 0, id="continuous"), pytest.param(["--once"], 1, id="once")]
)
def test_sigterm_ends_extdns_while_it_waits_for_standard_input(
    installation: Installation, silent: int, mode: list[str], code: int
) -> None:
    address = "--metrics-address=127.0.0.1:0"
    with running(*flags(installation, "--manifests=-", address, *mode, manifests=False), stdin=silent) as program:
        program.until("Serving health and metrics")
        assert program.end() == code
    assert "Fatal" not in "\n".join(program.lines)
    assert ("The pass ended before it was complete" in program.lines[-1]) is bool(code)


def test_a_second_sigterm_ends_extdns_at_once(installation: Installation, silent: int) -> None:
    address = "--metrics-address=127.0.0.1:0"
    with running(*flags(installation, "--manifests=-", address, manifests=False), stdin=silent) as program:
        program.until("Serving health and metrics")
        program.process.send_signal(signal.SIGTERM)
        program.until("Terminating main controller loop")  # extdns waits a little for standard input
        assert program.end() == -signal.SIGTERM


def test_readyz_healthz_and_metrics_show_success_after_a_run_without_failures(installation: Installation) -> None:
    installation.run_once()
    with running(*flags(installation, "--metrics-address=127.0.0.1:0")) as program:
        program.until("All records are already up to date")
        code, body = program.get("/readyz")
        kinds = {kind: state["phase"] for kind, state in json.loads(body)["kinds"].items()}
        assert (code, json.loads(body)["failing"], kinds) == (200, [], {"services": "synced"})
        assert program.get("/healthz") == (200, "OK")
        assert 'extdns_decisions{reason="published"} 1.0' in program.get("/metrics")[1]
        assert program.end() == 0


def test_a_continuous_dry_run_logs_each_change_once(installation: Installation) -> None:
    address = "--metrics-address=127.0.0.1:0"
    with running(*flags(installation, "--dry-run", "--interval=1s", "--log-level=debug", address)) as program:
        for _ in range(2):
            program.until("Run complete")
        installation.replace_manifests(WEB, service("api", "api.example.org"))
        program.until("api.example.org")
        assert program.end() == 0
    changes = [line for line in program.lines if "Desired change" in line]
    assert len(changes) == 2
    assert "up to date" not in "\n".join(program.lines)
    assert installation.zones.published() == []


def test_thousands_of_new_names_make_less_than_a_hundred_log_lines_and_no_warning(installation: Installation) -> None:
    installation.replace_manifests(*services(f"n{number}" for number in range(2000)))
    ended = once(*flags(installation, "--once", "--metrics-address=127.0.0.1:0"))
    assert (ended.returncode, len(installation.zones.published())) == (0, 2000)
    assert len(ended.stderr.splitlines()) < 100
    assert not [line for line in ended.stderr.splitlines() if "level=warning" in line or "level=error" in line]
