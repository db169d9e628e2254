"""Held deletes, and how they are made after `extdns approve`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from extdns import cli
from tests.fakes.apiserver.access import USER
from tests.fakes.apiserver.server import ApiServer
from tests.objects import service
from tests.program.installation import Installation

HELD = 3


def test_a_dry_run_writes_no_state_file(tmp_path: Path) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "web.example.org"))
    installation.run_once("--dry-run", f"--state-file={tmp_path / 'state'}")
    assert not (tmp_path / "state").exists()


def wait_for_state(server: ApiServer, code: str) -> None:
    """Wait until the state ConfigMap contains *code*."""
    updates = 0
    while code not in str(server.get("ConfigMap", "dns", "extdns-state")):
        updates += 1
        server.log.wait_for("update", "configmaps", count=updates)


def test_a_running_process_makes_held_deletes_after_extdns_approve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POD_NAMESPACE", "dns")
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(*(service(f"s{number}", f"s{number}.example.org") for number in range(12)))
        audit_log = tmp_path / "audit.log"
        with installation.start(f"--audit-log={audit_log}") as running:
            running.until("successfully updated")
            for number in range(12):
                server.delete("Service", "shop", f"s{number}")
            running.pass_time(0.0)
            running.until("in-grace", "s11")
            running.pass_time(61.0)
            line = running.until("Deletes are held")
            code = re.findall(r"extdns approve ([0-9a-f-]+)", line)[0]
            wait_for_state(server, code)
            kubeconfig = f"--kubeconfig={tmp_path / 'kubeconfig'}"
            server.api.user = "system:serviceaccount:dns:external-dns"  # in the pod, where nobody can be asked
            assert cli.main(["approve", code, kubeconfig], {}) == 1
            assert capsys.readouterr().err.endswith("external-dns\n  give yours: --by=NAME\n")
            server.api.user = USER
            assert cli.main(["approve", code, kubeconfig], {}) == 0
            running.pass_time(11.0)
            running.until("successfully updated")
            assert installation.zones.published() == []
    lines = [json.loads(line) for line in audit_log.read_text(encoding="utf-8").splitlines()]
    deletes = [line for line in lines if line["action"] == "delete" and line["outcome"] == "applied"]
    assert len(deletes) == 12
    assert all(line["approval"] == {"code": code, "claimedUser": USER} for line in deletes)
    assert all(line["evidence"] == "object-deleted" and line["objects"][0]["resourceVersion"] for line in deletes)
    found = server.get("ConfigMap", "dns", "extdns-state")
    assert found is not None
    assert "annotations" not in found["metadata"]


def test_creating_updating_and_deleting_one_name_logs_no_warning_and_no_error(tmp_path: Path) -> None:
    with ApiServer() as server:
        installation = Installation(tmp_path, server, example_org="")
        installation.apply(service("stays"))
        with installation.start(f"--state-file={tmp_path / 'state'}") as running:
            running.until("successfully updated")
            for address in ("192.0.2.1", "192.0.2.2"):
                installation.apply(service("web", address=address))
                running.until("successfully updated")
            server.delete("Service", "shop", "web")
            running.until("in-grace")
            running.pass_time(61.0)
            running.until("successfully updated")
            assert installation.zones.published() == ["stays.example.org A 192.0.2.1"]
        assert not [line for line in running.lines if "level=warning" in line or "level=error" in line]
