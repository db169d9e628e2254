"""The audit log and `extdns explain` name what set an object: its manager, Argo CD, Flux, and the reviewed plan."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.objects import CREATED, PREFIX, Json, dns_endpoint, service
from tests.program.installation import Installation
from tests.program.running import HANGS_S, Running

TRACKING_ID: Final = "shop:/Service:shop/web"


def own(manager: str, fields: Json) -> Json:
    entry = {"apiVersion": "v1", "time": CREATED, "operation": "Update"}
    return {**entry, "manager": manager, "fieldsType": "FieldsV1", "fieldsV1": fields}


def build_service() -> Json:
    """Return a Service that Argo CD applied, and whose hostname somebody then edited."""
    made = service("web")
    made["metadata"]["annotations"] |= {"argocd.argoproj.io/tracking-id": TRACKING_ID, "extdns.io/plan": "3f2a"}
    made["metadata"]["managedFields"] = [
        own("argocd-controller", {"f:metadata": {"f:annotations": {".": {}}}, "f:spec": {"f:type": {}}}),
        own("kubectl-edit", {"f:metadata": {"f:annotations": {f"f:{PREFIX}hostname": {}}}}),
    ]
    return made


def build_endpoint() -> Json:
    """Return a DNSEndpoint that Flux applied."""
    made = dns_endpoint("api")
    group = "kustomize.toolkit.fluxcd.io"
    made["metadata"]["labels"] = {f"{group}/name": "shop", f"{group}/namespace": "flux-system"}
    made["metadata"]["managedFields"] = [
        own("kustomize-controller", {"f:spec": {}}),
        own("extdns", {"f:status": {}}),
    ]
    return made


SERVICE_ORIGIN: Final = {"setBy": "kubectl-edit", "argoCd": TRACKING_ID, "flux": "", "plan": "3f2a"}
FLUX_ORIGIN: Final = {
    "setBy": "kustomize-controller",
    "argoCd": "",
    "flux": "Kustomization flux-system/shop",
    "plan": "",
}


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        yield Installation(tmp_path, server, sources=("service", "crd"), example_org="")


def read_audit_log(path: Path) -> dict[str, dict[str, Any]]:
    """Return the last line about each name."""
    return {line["name"]: line for line in map(json.loads, path.read_text().splitlines())}


def test_the_audit_log_names_what_set_the_object(live: Installation, tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    live.apply(build_service(), build_endpoint())
    live.run_once(f"--audit-log={log}")
    found = read_audit_log(log)
    origins = [found[f"{name}.example.org"]["objects"][0]["origin"] for name in ("web", "api")]
    assert origins == [SERVICE_ORIGIN, FLUX_ORIGIN]


def test_the_audit_log_names_what_had_set_a_deleted_object(live: Installation, tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    live.apply(build_service())
    with live.start("--delete-grace-period=50ms", f"--audit-log={log}"):
        live.until(live.zones.published)
        live.delete(build_service())
        live.until(lambda: not live.zones.published())
    line = read_audit_log(log)["web.example.org"]
    assert (line["action"], line["objects"][0]["origin"]) == ("delete", SERVICE_ORIGIN)


@pytest.mark.parametrize("topic", ["web.example.org", "service/shop/web"])
def test_explain_names_what_set_the_object(live: Installation, capsys: pytest.CaptureFixture[str], topic: str) -> None:
    live.apply(build_service())
    assert cli.main(["explain", topic, *live.flags()], {}) == 0
    assert f"set by kubectl-edit; Argo CD {TRACKING_ID}; plan 3f2a\n" in capsys.readouterr().out


@pytest.mark.parametrize(("log", "manager"), [([], ""), (["--audit-log=audit.log"], "kubectl-edit")])
def test_a_running_process_names_the_manager_only_with_an_audit_log(
    live: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: list[str], manager: str
) -> None:
    monkeypatch.chdir(tmp_path)
    live.apply(build_service())
    with live.start("--web-address=127.0.0.1:0", *log) as running, running.page:
        live.until(lambda: _read_claims(running))
        (claim,) = _read_claims(running)
    assert claim["origin"] == SERVICE_ORIGIN | {"setBy": manager}


def _read_claims(running: Running) -> Any:  # noqa: ANN401 - JSON
    address = f"http://127.0.0.1:{running.page.port}/api/v1/names/web.example.org"
    try:
        with urlopen(address, timeout=HANGS_S) as answer:
            return json.load(answer)["claims"]
    except HTTPError:  # before the first pass
        return []


def test_what_people_write_about_the_origin_is_escaped_and_cut(
    live: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    made = build_service()
    made["metadata"]["annotations"] |= {"extdns.io/plan": "\x1b[2J\u202e" + "x" * 100_000}
    live.apply(made)
    cli.main(["explain", "web.example.org", *live.flags()], {})
    out = capsys.readouterr().out
    assert "plan \\x1b[2J\\u202exxx" in out
    assert "\x1b" not in out
    assert "xxx… (100005 characters)" in out
    assert len(out) < 5000


@pytest.mark.parametrize("fields", ["none", [None], [{"fieldsV1": {"f:metadata": []}}], [{"manager": 1}]])
def test_managed_fields_in_another_form_stop_nothing(live: Installation, tmp_path: Path, fields: object) -> None:
    made = build_service()
    made["metadata"]["managedFields"] = fields
    live.apply(made)
    assert live.run_once(f"--audit-log={tmp_path / 'audit.log'}") == 0
    origin = read_audit_log(tmp_path / "audit.log")["web.example.org"]["objects"][0]["origin"]
    assert origin == SERVICE_ORIGIN | {"setBy": ""}
