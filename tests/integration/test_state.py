"""Saved state in a ConfigMap and in a file."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from extdns.app.cluster import find_own_namespace
from extdns.app.state_store import DocumentStateStore, build_state_store
from extdns.config import parse
from extdns.controller.write_gate import WriteGate
from extdns.errors import ConflictError, DeniedError, ExtdnsError, UsageError
from extdns.kube import state_document
from extdns.kube.state_store import ConfigMapStateStore, FileStateStore
from extdns.model.saved_state import Approval, Saved, SavedScope, SavedZone
from tests.fakes.apiserver.faults import Refuse
from tests.fakes.apiserver.server import ApiServer
from tests.unit.controller.test_write_gate import FakeLease

SAVED = Saved(zones=(("Z1", SavedZone(name="example.org", fingerprint="f", whole=SavedScope(most=((1.0, 5),)))),))
OTHER = Saved(zones=(("Z2", SavedZone(fingerprint="g")),))


def configmap(server: ApiServer, folder: Path, gate: WriteGate | None = None) -> DocumentStateStore:
    flags = ["--source=service", "--provider=inmemory", f"--kubeconfig={server.kubeconfig(folder / 'kubeconfig')}"]
    found = build_state_store(parse([*flags, "--state-configmap=dns/extdns-state"], {}), "me", gate)
    assert found is not None
    return found


def stored(server: ApiServer) -> state_document.StateDocument:
    found = server.get("ConfigMap", "dns", "extdns-state")
    assert found is not None
    return found


def test_saving_state_is_retried_once_after_a_409_and_raises_after_a_second_one(
    server: ApiServer, tmp_path: Path
) -> None:
    store = configmap(server, tmp_path)
    store.save(SAVED)
    server.faults.arm(Refuse(code=409), verb="update", resource="configmaps")
    store.save(OTHER)
    assert store.load() == OTHER
    server.faults.arm(Refuse(code=409), verb="update", resource="configmaps", times=2)
    with pytest.raises(ConflictError):
        store.save(SAVED)


def test_an_approval_in_the_configmap_is_read_and_kept_by_the_next_save(server: ApiServer, tmp_path: Path) -> None:
    store = configmap(server, tmp_path)
    assert store.load_approvals() == ()
    store.save(SAVED)
    server.put(state_document.add_approvals(stored(server), [Approval(code="7f3a-91c2", claimed_user="Jane Doe")]))
    assert store.load_approvals() == (Approval(code="7f3a-91c2", claimed_user="Jane Doe"),)
    store.save(OTHER)
    assert store.load_approvals() == (Approval(code="7f3a-91c2", claimed_user="Jane Doe"),)


def test_saving_state_without_permission_raises_an_error_that_names_the_request(
    server: ApiServer, tmp_path: Path
) -> None:
    store = configmap(server, tmp_path)
    server.forbid("create", "configmaps")
    with pytest.raises(DeniedError, match="POST /api/v1/namespaces/dns/configmaps: 403"):
        store.save(SAVED)
    server.permit("create", "configmaps")
    store.save(SAVED)
    assert store.load() == SAVED


def test_an_undecodable_state_counts_as_missing_and_is_logged_once(
    server: ApiServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = configmap(server, tmp_path)
    store.save(SAVED)
    broken = stored(server)
    broken["data"]["me"] = "{"
    server.put(broken)
    missing = Saved(is_new=True, load_error="it is cut off or damaged: Input data was truncated")
    assert (store.load(), store.load()) == (missing, missing)
    store.save(OTHER)
    assert len([record for record in caplog.records if "counts as missing" in record.message]) == 1
    assert store.load() == OTHER


def test_the_state_file_has_mode_0600_and_saving_it_leaves_no_other_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    store = DocumentStateStore(FileStateStore(path), "me")
    assert (store.load(), store.load_approvals()) == (Saved(is_new=True), ())
    store.save(SAVED)
    DocumentStateStore(FileStateStore(path), "you").save(OTHER)
    assert store.load() == SAVED
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]
    assert json.loads(path.read_bytes())["kind"] == "ConfigMap"


def test_a_state_file_that_is_no_configmap_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("remember the milk")
    store = DocumentStateStore(FileStateStore(path), "me")
    for attempt in (store.load, lambda: store.save(SAVED)):
        with pytest.raises(
            ExtdnsError, match=r"^state file .*notes.txt has no valid state: .*allowed: a ConfigMap as JSON$"
        ):
            attempt()
    assert path.read_text() == "remember the milk"


def test_a_former_leader_cannot_overwrite_the_state_of_its_successor(server: ApiServer, tmp_path: Path) -> None:
    lease = FakeLease(left=20.0)
    former, leader = configmap(server, tmp_path, gate=WriteGate(lease)), configmap(server, tmp_path)
    former.save(SAVED)
    lease.left = 1.0
    leader.save(OTHER)
    with pytest.raises(ExtdnsError, match=r"^this process may not write: only the leader saves state$"):
        former.save(SAVED)
    assert leader.load() == OTHER


def test_saving_state_raises_an_error_if_the_folder_of_the_state_file_is_gone(tmp_path: Path) -> None:
    store = DocumentStateStore(FileStateStore(tmp_path / "gone" / "state"), "me")
    with pytest.raises(ExtdnsError, match=r"cannot be written: No such file or directory$"):
        store.save(SAVED)


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        pytest.param(["--manifests=-"], type(None), id="manifests-without-a-file"),
        pytest.param(["--manifests=-", "--state-file=state"], FileStateStore, id="manifests-with-a-file"),
        pytest.param([], ConfigMapStateStore, id="a-live-cluster"),
        pytest.param(["--state-configmap="], type(None), id="empty-state-configmap"),
        pytest.param(["--compat", "--policy=sync"], type(None), id="compat"),
    ],
)
def test_flags_decide_whether_state_is_saved_in_a_configmap_a_file_or_not_at_all(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], kind: type
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = [f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}", *flags]
    found = build_state_store(parse(["--source=service", "--provider=inmemory", *flags], {}), "me")
    assert isinstance(found and found._document_store, kind)


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        pytest.param("--state-configmap=Bad", "--state-configmap=Bad is not a valid name of a ConfigMap", id="name"),
        pytest.param("--state-configmap=/a", "--state-configmap=/a is not a valid name of a ConfigMap", id="namespace"),
        ("--state-file=/gone/state", "--state-file=/gone/state cannot be used: there is no folder /gone"),
        pytest.param("--state-file=/", "--state-file=/ cannot be used: it is a folder", id="folder as file"),
        (f"--state-file=/{'x' * 300}/state", f"--state-file=/{'x' * 300}/state cannot be used: File name too long"),
    ],
)
def test_an_invalid_state_flag_is_a_usage_error(flag: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        build_state_store(parse(["--source=service", "--provider=inmemory", flag], {}), "me")
    assert str(error.value).startswith(f"{message}\n  allowed: ")


def test_the_namespace_of_extdns_comes_from_the_pod_variable_then_the_service_account_then_the_kubeconfig(
    tmp_path: Path,
) -> None:
    account = tmp_path / "namespace"
    assert find_own_namespace("", environ={}, account=account) == "default"
    assert find_own_namespace("ctx", environ={}, account=account) == "ctx"
    account.write_text("dns\n")
    assert find_own_namespace("ctx", environ={}, account=account) == "dns"
    assert find_own_namespace("ctx", environ={"POD_NAMESPACE": "pod"}, account=account) == "pod"
    with pytest.raises(
        UsageError, match=r"the namespace of this process, 'a b', is not a namespace\n  it is \$POD_NAMESPACE"
    ):
        find_own_namespace("a b", environ={}, account=tmp_path / "none")


def test_outside_a_pod_the_state_configmap_is_in_the_namespace_of_the_kubeconfig(
    server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POD_NAMESPACE", raising=False)
    monkeypatch.setattr("extdns.app.cluster._SERVICE_ACCOUNT_NAMESPACE", tmp_path / "none")
    config = json.loads(server.kubeconfig(tmp_path / "kubeconfig").read_text())
    config["contexts"][0]["context"]["namespace"] = "team"
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    flags = ["--source=service", "--provider=inmemory", f"--kubeconfig={tmp_path / 'kubeconfig'}"]
    store = build_state_store(parse(flags, {}), "me")
    assert store is not None
    store.save(SAVED)
    assert server.get("ConfigMap", "team", "extdns-state") is not None
