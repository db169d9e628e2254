"""The process: what it reads, where it writes, how it ends, and that no mistake shows a stack trace."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.integration.program import COMMAND, HANGS_S, environment, once, running
from tests.integration.stage import Stage, service

QUIET = ("--log-level=error", "--metrics-address=127.0.0.1:0")
WEB = service("web", "web.example.org")


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """One Service, and a zone file that holds nothing yet."""
    found = Stage(tmp_path, example_org="")
    found.apply(WEB)
    return found


def flags(stage: Stage, *more: str, manifests: bool = True) -> list[str]:
    own = [f"--manifests={stage.manifests}"] if manifests else []
    return [
        *own,
        "--source=service",
        "--provider=zonefile",
        f"--zonefile-dir={stage.zones}",
        "--txt-owner-id=me",
        *more,
    ]


# ---- what it reads


def test_manifests_come_from_standard_input(stage: Stage) -> None:
    ended = once(*flags(stage, "--manifests=-", "--once", *QUIET, manifests=False), stdin=json.dumps(WEB))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert stage.published() == ["web.example.org A 192.0.2.1"]


def test_a_broken_document_on_standard_input_is_named_and_costs_only_itself(stage: Stage) -> None:
    text = f"{json.dumps(WEB)}\n---\nkind: [\n---\n{json.dumps(service('api', 'api.example.org'))}\n"
    ended = once(*flags(stage, "--manifests=-", "--once", *QUIET, manifests=False), stdin=text)
    assert 'place="standard input:' in ended.stderr
    assert stage.published() == ["api.example.org A 192.0.2.1", "web.example.org A 192.0.2.1"]


def test_arguments_come_from_a_file(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "flags").write_text("\n".join([*flags(stage), "# a comment", "--once", *QUIET, ""]))
    ended = once(f"@{tmp_path / 'flags'}")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert stage.published() == ["web.example.org A 192.0.2.1"]


def test_flags_come_from_the_environment_and_the_command_line_wins(stage: Stage) -> None:
    variables = {
        "EXTERNAL_DNS_MANIFESTS": f"{stage.manifests}\n",
        "EXTERNAL_DNS_SOURCE": "service\ningress\n",
        "EXTERNAL_DNS_PROVIDER": "inmemory",
        "EXTERNAL_DNS_ZONEFILE_DIR": str(stage.zones),
        "EXTERNAL_DNS_ONCE": "true",
        "EXTERNAL_DNS_LOG_LEVEL": "error",
        "EXTERNAL_DNS_METRICS_ADDRESS": "127.0.0.1:0",
        "EXTERNAL_DNS_TXT_OWNER_ID": "",
    }
    ended = once("--provider=zonefile", "--txt-owner-id=me", env=variables)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert stage.published() == ["web.example.org A 192.0.2.1"]


# ---- mistakes


@pytest.mark.parametrize(
    ("more", "says"),
    [
        pytest.param(["--policy=sinc"], "--policy=sinc", id="a policy"),
        pytest.param(["--manifests=/nowhere"], "--manifests=/nowhere", id="a manifest"),
        pytest.param(["--txt-prefix=\x1b[31m"], "--txt-prefix=\\x1b[31m", id="a prefix with an escape"),
        pytest.param(["--service-type-filter=LB"], "--service-type-filter=LB", id="a type of Service"),
        pytest.param(["--metrics-address=192.0.2.1:80"], "--metrics-address=192.0.2.1:80", id="an address"),
        pytest.param(["--registry=crd"], "--registry=crd", id="a registry"),
        pytest.param(["@/nowhere"], "@/nowhere", id="a file of arguments"),
        pytest.param(["plan"], "plan", id="a word"),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_1(stage: Stage, more: list[str], says: str) -> None:
    address = [] if any(flag.startswith("--metrics-address") for flag in more) else ["--metrics-address=127.0.0.1:0"]
    ended = once(*flags(stage, "--log-level=error", *address, *more))
    assert ended.returncode == 1
    assert ended.stdout == ""
    first, *rest = ended.stderr.splitlines()
    assert first.startswith("error: ")
    assert says in first
    assert all(line.startswith("  ") for line in rest)
    assert "Traceback" not in ended.stderr


def test_a_port_that_is_taken_is_one_message_and_exit_code_1(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = once(*flags(stage, "--log-level=error", f"--metrics-address={address}"))
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"error: --metrics-address={address} cannot be listened on: port ")
    assert "Traceback" not in ended.stderr
    assert stage.published() == []


# ---- where it writes


@pytest.mark.parametrize("arguments", [pytest.param(["--help"], id="help"), pytest.param(None, id="a plan")])
def test_a_reader_of_standard_output_may_go_at_once(stage: Stage, arguments: list[str] | None) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, *(arguments or flags(stage, "--once", "--dry-run", *QUIET))]
    ended = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, env=environment(), timeout=HANGS_S, check=False
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_reader_of_the_log_may_go_at_once(stage: Stage) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, *flags(stage, "--once", "--metrics-address=127.0.0.1:0")]
    ended = subprocess.run(command, stderr=writer, env=environment(), timeout=HANGS_S, check=False)
    os.close(writer)
    assert ended.returncode == 0
    assert stage.published() == ["web.example.org A 192.0.2.1"]


def test_nothing_needs_to_be_open(stage: Stage) -> None:
    command = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *COMMAND, *flags(stage, "--once", "--dry-run", *QUIET)]
    assert subprocess.run(command, env=environment(), timeout=HANGS_S, check=False).returncode == 0


def test_a_plan_is_shown_in_any_encoding(stage: Stage) -> None:
    stage.apply(service("web", "web.example.org", annotations={"ttl": "60"}))
    stage.once()
    stage.apply(service("web", "web.example.org", annotations={"ttl": "90"}))
    ended = once(*flags(stage, "--once", "--dry-run", *QUIET), env={"PYTHONIOENCODING": "ascii"})
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "ttl 60 s \\u2192 90 s" in ended.stdout


def test_a_dry_run_shows_the_same_plan_each_time_and_writes_nothing(stage: Stage) -> None:
    stage.apply(*(service(f"web-{number}", f"web-{number}.example.org") for number in range(20)))
    state = stage.state()
    shown = [once(*flags(stage, "--once", "--dry-run", *QUIET)).stdout for _ in range(2)]
    assert shown[0] == shown[1]
    assert shown[0].endswith("\n20 to create, 0 to update, 0 to delete.\n")
    assert stage.state() == state


def test_log_lines_are_json_if_asked_for(stage: Stage) -> None:
    ended = once(*flags(stage, "--once", "--log-format=json", "--metrics-address=127.0.0.1:0"))
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    assert {frozenset(("time", "level", "msg"))} == {frozenset(line) & {"time", "level", "msg"} for line in lines}
    (change,) = (line for line in lines if line["msg"].startswith("Desired change"))
    assert change["msg"] == "Desired change: CREATE web.example.org A"
    assert (change["zoneName"], change["zoneID"], change["level"]) == ("example.org", "example.org.zone", "info")


# ---- how it ends


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_ends_it_with_exit_code_0(stage: Stage, number: signal.Signals) -> None:
    with running(*flags(stage, "--metrics-address=127.0.0.1:0")) as program:
        program.until("successfully updated")
        assert program.end(number) == 0
    said = [line.partition(" msg=")[2] for line in program.lines[-2:]]
    assert said == [f'"Received {number.name}. Terminating..."', '"Terminating main controller loop"']


@pytest.mark.parametrize(
    ("mode", "code"), [pytest.param([], 0, id="on and on"), pytest.param(["--once"], 1, id="once")]
)
def test_a_signal_ends_it_while_it_waits_for_standard_input(stage: Stage, mode: list[str], code: int) -> None:
    address = "--metrics-address=127.0.0.1:0"
    with running(*flags(stage, "--manifests=-", address, *mode, manifests=False), stdin=subprocess.PIPE) as program:
        program.until("Health and metrics are served")
        assert program.end() == code
    assert "Fatal" not in "\n".join(program.lines)
    assert ("The pass ended before it was complete" in program.lines[-1]) is bool(code)


def test_a_second_signal_does_not_wait(stage: Stage) -> None:
    address = "--metrics-address=127.0.0.1:0"
    with running(*flags(stage, "--manifests=-", address, manifests=False), stdin=subprocess.PIPE) as program:
        program.until("Health and metrics are served")
        program.process.send_signal(signal.SIGTERM)
        program.until("Terminating main controller loop")  # the reading of standard input is waited for a little
        assert program.end() == -signal.SIGTERM


def test_a_pass_without_failures_is_ready_healthy_and_up_to_date(stage: Stage) -> None:
    stage.once()
    with running(*flags(stage, "--metrics-address=127.0.0.1:0")) as program:
        program.until("All records are already up to date")
        code, facts = program.get("/readyz")
        kinds = {kind: state["phase"] for kind, state in json.loads(facts)["kinds"].items()}
        assert (code, json.loads(facts)["failing"], kinds) == (200, [], {"services": "synced"})
        assert program.get("/healthz") == (200, "OK")
        assert 'extdns_decisions{reason="programmed"} 1.0' in program.get("/metrics")[1]
        assert program.end() == 0


def test_an_edited_manifest_is_published_while_it_runs(stage: Stage) -> None:
    with running(*flags(stage, "--metrics-address=127.0.0.1:0")) as program:
        program.until("successfully updated")
        stage.apply(service("web", "web.example.org", address="192.0.2.9"))
        program.until("Desired change: UPSERT web.example.org A")
        program.until("successfully updated")
        assert stage.published() == ["web.example.org A 192.0.2.9"]
        assert program.end() == 0


def test_a_running_dry_run_tells_a_change_once_and_again_when_it_is_another(stage: Stage) -> None:
    address = "--metrics-address=127.0.0.1:0"
    with running(*flags(stage, "--dry-run", "--interval=1s", "--log-level=debug", address)) as program:
        for _ in range(2):
            program.until("A run is over")
        stage.apply(WEB, service("api", "api.example.org"))
        program.until("api.example.org")
        assert program.end() == 0
    changes = [line for line in program.lines if "Desired change" in line]
    assert len(changes) == 2
    assert "up to date" not in "\n".join(program.lines)
    assert stage.published() == []
