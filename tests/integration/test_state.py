"""State in a ConfigMap of an API server, and in a file."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.app.apiservers import own_namespace
from extdns.app.states import KeptState, state
from extdns.config import parse
from extdns.errors import ConflictError, DeniedError, ExtdnsError, UsageError
from extdns.kube import shelf
from extdns.kube.places import ConfigMapPlace, FilePlace
from extdns.model.saved import Saved, SavedZone
from extdns.ports import Lease
from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.server import ApiServer
from tests.unit.controller.test_candidacy import HeldLease

SAVED = Saved(zones=(("Z1", SavedZone(name="example.org", fingerprint="f", most=((1.0, 5),))),))
OTHER = Saved(zones=(("Z2", SavedZone(fingerprint="g")),))


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer() as running:
        yield running


def configmap(server: ApiServer, folder: Path, owner: str = "me", lease: Lease | None = None) -> KeptState:
    flags = ["--source=service", "--provider=inmemory", f"--kubeconfig={server.kubeconfig(folder / 'kubeconfig')}"]
    found = state(parse([*flags, "--state-configmap=dns/extdns-state"], {}), owner, lease)
    assert found is not None
    return found


def stored(server: ApiServer) -> shelf.Document:
    found = server.get("ConfigMap", "dns", "extdns-state")
    assert found is not None
    return found


def test_a_configmap_is_created_and_then_kept_up_to_date(server: ApiServer, tmp_path: Path) -> None:
    kept = configmap(server, tmp_path)
    assert kept.load() == Saved()
    kept.save(SAVED)
    assert configmap(server, tmp_path).load() == SAVED
    kept.save(OTHER)
    assert kept.load() == OTHER
    assert [request.method for request in server.log.requests() if request.method != "GET"] == ["POST", "PUT"]


def test_owners_share_a_configmap(server: ApiServer, tmp_path: Path) -> None:
    configmap(server, tmp_path, "blue").save(SAVED)
    configmap(server, tmp_path, "green").save(OTHER)
    assert configmap(server, tmp_path, "blue").load() == SAVED


def test_a_conflict_is_tried_again_once(server: ApiServer, tmp_path: Path) -> None:
    kept = configmap(server, tmp_path)
    kept.save(SAVED)
    server.faults.arm(Refuse(code=409), verb="update", resource="configmaps")
    kept.save(OTHER)
    assert kept.load() == OTHER
    server.faults.arm(Refuse(code=409), verb="update", resource="configmaps", times=2)
    with pytest.raises(ConflictError):
        kept.save(SAVED)


def test_a_release_is_read_and_survives_until_it_is_kept(server: ApiServer, tmp_path: Path) -> None:
    kept = configmap(server, tmp_path)
    assert kept.released() == ()
    kept.save(SAVED)
    server.put(shelf.with_released(stored(server), ["7f3a-91c2"]))
    assert kept.released() == ("7f3a-91c2",)
    kept.save(OTHER)
    assert kept.released() == ("7f3a-91c2",)


def test_a_missing_right_is_told_with_the_request(server: ApiServer, tmp_path: Path) -> None:
    kept = configmap(server, tmp_path)
    server.forbid("create", "configmaps")
    with pytest.raises(DeniedError, match="POST /api/v1/namespaces/dns/configmaps: 403"):
        kept.save(SAVED)
    server.permit("create", "configmaps")
    kept.save(SAVED)
    assert kept.load() == SAVED


def test_a_broken_value_counts_as_nothing_and_is_told_once(
    server: ApiServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = configmap(server, tmp_path)
    kept.save(SAVED)
    broken = stored(server)
    broken["data"]["me"] = "{"
    server.put(broken)
    assert (kept.load(), kept.load()) == (Saved(), Saved())
    kept.save(OTHER)
    assert len([record for record in caplog.records if "counts as nothing" in record.message]) == 1
    assert kept.load() == OTHER


def test_a_file_is_replaced_whole_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    kept = KeptState(FilePlace(path), "me")
    assert (kept.load(), kept.released()) == (Saved(), ())
    kept.save(SAVED)
    KeptState(FilePlace(path), "you").save(OTHER)
    assert kept.load() == SAVED
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]
    assert json.loads(path.read_bytes())["kind"] == "ConfigMap"


def test_a_file_of_something_else_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("remember the milk")
    kept = KeptState(FilePlace(path), "me")
    for attempt in (kept.load, lambda: kept.save(SAVED)):
        with pytest.raises(ExtdnsError, match=r"^state file .*notes.txt: .*allowed: a ConfigMap as JSON$"):
            attempt()
    assert path.read_text() == "remember the milk"


def test_who_leads_no_more_replaces_nothing_that_its_successor_kept(server: ApiServer, tmp_path: Path) -> None:
    lease = HeldLease(left=20.0)
    former, leader = configmap(server, tmp_path, lease=lease), configmap(server, tmp_path)
    former.save(SAVED)
    lease.left = 1.0
    leader.save(OTHER)
    with pytest.raises(ExtdnsError, match=r"^the state is kept by the process that leads$"):
        former.save(SAVED)
    assert leader.load() == OTHER


def test_a_folder_that_went_away_is_told(tmp_path: Path) -> None:
    kept = KeptState(FilePlace(tmp_path / "gone" / "state"), "me")
    with pytest.raises(ExtdnsError, match=r"cannot be written: No such file or directory$"):
        kept.save(SAVED)


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        pytest.param(["--manifests=-"], type(None), id="manifests-without-a-file"),
        pytest.param(["--manifests=-", "--state-file=state"], FilePlace, id="manifests-with-a-file"),
        pytest.param([], ConfigMapPlace, id="a-live-cluster"),
        pytest.param(["--state-configmap="], type(None), id="switched-off"),
        pytest.param(["--compat", "--policy=sync"], type(None), id="the-reference-keeps-none"),
    ],
)
def test_the_flags_decide_where_state_is_kept(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], kind: type
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = [f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}", *flags]
    found = state(parse(["--source=service", "--provider=inmemory", *flags], {}), "me")
    assert isinstance(found and found._place, kind)


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        pytest.param("--state-configmap=Bad", "--state-configmap=Bad is no name of a ConfigMap", id="name"),
        pytest.param("--state-configmap=/a", "--state-configmap=/a is no name of a ConfigMap", id="namespace"),
        pytest.param("--state-file=/gone/state", "--state-file=/gone/state cannot be used", id="folder"),
    ],
)
def test_a_place_that_cannot_be_is_a_mistake(flag: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        state(parse(["--source=service", "--provider=inmemory", flag], {}), "me")
    assert str(error.value).startswith(f"{message}\n  allowed: ")


def test_our_namespace_is_the_pods_else_the_accounts_else_the_kubeconfigs(tmp_path: Path) -> None:
    account = tmp_path / "namespace"
    assert own_namespace("", environ={}, account=account) == "default"
    assert own_namespace("ctx", environ={}, account=account) == "ctx"
    account.write_text("dns\n")
    assert own_namespace("ctx", environ={}, account=account) == "dns"
    assert own_namespace("ctx", environ={"POD_NAMESPACE": "pod"}, account=account) == "pod"


def test_outside_of_pods_the_configmap_is_in_the_namespace_of_the_kubeconfig(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POD_NAMESPACE", raising=False)
    monkeypatch.setattr("extdns.app.apiservers._ACCOUNT", tmp_path / "none")
    config = json.loads(server.kubeconfig(tmp_path / "kubeconfig").read_text())
    config["contexts"][0]["context"]["namespace"] = "team"
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    flags = ["--source=service", "--provider=inmemory", f"--kubeconfig={tmp_path / 'kubeconfig'}"]
    kept = state(parse(flags, {}), "me")
    assert kept is not None
    kept.save(SAVED)
    assert server.get("ConfigMap", "team", "extdns-state") is not None
