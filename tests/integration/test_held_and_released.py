"""A held delete, from the pass that holds it to the pass that makes it after `extdns release`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.integration.live import LiveStage, program
from tests.integration.stage import Stage, service

HELD = 3


def test_a_pass_holds_and_the_next_one_deletes_what_a_person_released(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = Stage(tmp_path, example_org="")
    flag = f"--state-file={tmp_path / 'state'}"
    names = [service(f"s{number}", f"s{number}.example.org") for number in range(12)]
    stage.apply(*names)
    assert stage.once(flag) == 0
    stage.apply(*names[:2])
    assert stage.once(flag) == HELD
    assert len(stage.published()) == 12
    assert cli.main(["status", flag], {}) == 0
    said = capsys.readouterr().out
    assert "! 10 deletes HELD under" in said
    code = re.findall(r"extdns release (\S+)", said)[0]
    assert cli.main(["release", code, flag], {}) == 0
    assert stage.once(flag) == 0
    assert len(stage.published()) == 2
    capsys.readouterr()
    assert cli.main(["status", flag], {}) == 0
    assert "No delete is held." in capsys.readouterr().out


def test_a_dry_run_keeps_nothing(tmp_path: Path) -> None:
    stage = Stage(tmp_path, example_org="")
    stage.apply(service("web", "web.example.org"))
    stage.once("--dry-run", f"--state-file={tmp_path / 'state'}")
    assert not (tmp_path / "state").exists()


def wait_for_state(server: ApiServer, code: str) -> None:
    """Until the set that shows *code* is kept."""
    updates = 0
    while code not in str(server.get("ConfigMap", "dns", "extdns-state")):
        updates += 1
        server.log.wait_for("update", "configmaps", count=updates)


def test_a_running_process_takes_in_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POD_NAMESPACE", "dns")
    with ApiServer() as server:
        stage = LiveStage(tmp_path, server, example_org="")
        stage.put(*(service(f"s{number}", f"s{number}.example.org") for number in range(12)))
        with program(stage, monkeypatch) as running:
            running.until("successfully updated")
            for number in range(12):
                server.delete("Service", "shop", f"s{number}")
            running.pass_time(0.0)
            running.until("in-grace", "s11")
            running.pass_time(61.0)
            line = running.until("Deletes are held")
            code = re.findall(r"extdns release ([0-9a-f-]+)", line)[0]
            wait_for_state(server, code)
            kubeconfig = f"--kubeconfig={tmp_path / 'kubeconfig'}"
            assert cli.main(["release", code, kubeconfig], {}) == 0
            running.pass_time(11.0)
            running.until("successfully updated")
            assert stage.published() == []
    found = server.get("ConfigMap", "dns", "extdns-state")
    assert found is not None
    assert "annotations" not in found["metadata"]
