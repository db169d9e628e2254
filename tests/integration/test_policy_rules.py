"""Rules from files and from the cluster decide what the whole program publishes (docs/design/rules.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from extdns.model.change import Action
from tests.fakes.apiserver.kinds import DNS_POLICY
from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json, namespace, service
from tests.program.installation import USAGE, Installation

A = "web.example.org A 192.0.2.1"
DENIES = "record.name != 'web.example.org'"
ALLOWS = "record.name != ''"


def policy(expression: str = DENIES, name: str = "rule", **spec: object) -> Json:
    validations = [{"expression": expression, "message": "not this name"}]
    return {
        "apiVersion": "extdns.io/v1alpha1",
        "kind": "DNSPolicy",
        "metadata": {"name": name},
        "spec": {"validations": validations, **spec},
    }


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path, example_org="")


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Installation]:
    with ApiServer() as server:
        yield Installation(tmp_path, server, example_org="")


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return tmp_path / "rules.yaml"


def write(path: Path, *policies: Json) -> None:
    path.write_text("\n---\n".join(json.dumps(one) for one in policies), encoding="utf-8")


def test_a_single_pass_does_not_publish_what_a_rule_in_a_file_denies(installation: Installation, rules: Path) -> None:
    write(rules, policy())
    installation.replace_manifests(service("web"), service("api"))
    installation.run_once(f"--policy-rules={rules}")
    assert installation.zones.published() == ["api.example.org A 192.0.2.1"]


def test_rules_among_the_manifests_are_used_only_if_the_policy_rules_flag_is_cluster(
    installation: Installation,
) -> None:
    installation.replace_manifests(service("web"), policy())
    installation.run_once("--policy-rules=cluster")
    assert installation.zones.published() == []
    installation.run_once()
    assert installation.zones.published() == [A]


def test_a_rule_can_read_the_labels_of_objects_and_namespaces(installation: Installation, rules: Path) -> None:
    write(rules, policy("'dns' in namespace.labels && object.labels['app'] == 'web'"))
    labelled = namespace()
    labelled["metadata"]["labels"] = {"dns": "yes"}
    installation.replace_manifests(labelled, service("web", labels={"app": "web"}), service("api"))
    installation.run_once(f"--policy-rules={rules}")
    assert installation.zones.published() == [A]


def test_an_edited_rule_is_used_and_an_unreadable_one_leaves_the_former_in_use(
    installation: Installation, rules: Path
) -> None:
    write(rules, policy())
    installation.replace_manifests(service("web"))
    with installation.start(f"--policy-rules={rules}") as running:
        running.until("policy-denied")
        rules.write_text("{broken", encoding="utf-8")
        running.until("Cannot use a rule", "rules.yaml")
        running.until_planned("web.example.org", Action.NONE)
        assert running.controller.read_readiness()[1]["rules"]
        write(rules, policy(ALLOWS))
        running.until("successfully updated")
    assert installation.zones.published() == [A]


@pytest.mark.parametrize("content", ["{broken", json.dumps(policy("record.nmae == 'x'"))])
def test_while_a_rule_was_never_valid_new_names_wait_and_published_ones_stay(
    installation: Installation, rules: Path, content: str
) -> None:
    installation.replace_manifests(service("web"))
    installation.run_once()
    rules.write_text(content, encoding="utf-8")
    installation.replace_manifests(service("web"), service("api"))
    with installation.start(f"--policy-rules={rules}") as running:
        running.until("api.example.org", "policy-unavailable")
        write(rules, policy(ALLOWS))
        running.until("successfully updated")
    assert installation.zones.published() == ["api.example.org A 192.0.2.1", A]


def test_new_names_wait_and_published_ones_stay_until_the_folder_of_the_rules_is_filled(
    installation: Installation, tmp_path: Path
) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    installation.replace_manifests(service("web"))
    installation.run_once()
    installation.replace_manifests(service("web"), service("api"))
    with installation.start(f"--policy-rules={folder}") as running:
        running.until("Cannot use a rule", "the folder has no file with policies yet")
        running.until("api.example.org", "policy-unavailable")
        assert installation.zones.published() == [A]
        write(folder / "rules.yaml", policy())
        running.until("successfully updated")
    assert installation.zones.published() == ["api.example.org A 192.0.2.1", A]


def test_a_folder_that_becomes_empty_leaves_its_last_rules_in_use(installation: Installation, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    write(folder / "rules.yaml", policy())
    installation.replace_manifests(service("web"))
    with installation.start(f"--policy-rules={folder}") as running:
        running.until("policy-denied")
        (folder / "rules.yaml").unlink()
        running.until("Cannot use a rule", "the folder has no file with policies yet")
        installation.replace_manifests(service("web"), service("api"))
        running.until("successfully updated")
        assert installation.zones.published() == ["api.example.org A 192.0.2.1"]
        (folder / "rules.yaml").touch()
        running.until("There are no DNSPolicies, so none denies anything")
        running.until("successfully updated")
    assert installation.zones.published() == ["api.example.org A 192.0.2.1", A]


def test_changes_of_policy_objects_in_the_cluster_take_effect(live: Installation) -> None:
    live.apply(service("web"), policy())
    with live.start("--policy-rules=cluster") as running:
        running.until("policy-denied")
        live.apply(policy(ALLOWS))
        running.until("successfully updated")
        assert live.zones.published() == [A]


def test_no_new_name_is_published_if_the_policies_of_the_cluster_cannot_be_listed(live: Installation) -> None:
    live.server.unregister(DNS_POLICY)
    live.apply(service("web"))
    with live.start("--policy-rules=cluster") as running:
        running.until("Cannot use a rule", "DNSPolicies")
        running.until("policy-unavailable")
    assert live.zones.published() == []


def test_standard_input_as_the_path_of_rules_is_a_usage_error(installation: Installation) -> None:
    assert installation.run_once("--policy-rules=-") == USAGE


def test_the_status_of_a_policy_shows_whether_it_is_used_and_counts_its_violations(live: Installation) -> None:
    live.apply(service("web"), service("api"), policy())
    with live.start("--policy-rules=cluster") as running:
        live.until(lambda: read_status(live).get("counts") == {"matched": 2, "violations": 1})
        assert find_ready(live)[:2] == ("True", "Compiled")
        live.apply(policy("record.nmae == 'x'"))
        live.until(lambda: find_ready(live)[:2] == ("False", "Invalid"))
        assert "refers to record.nmae" in find_ready(live)[2]
        assert find_ready(live)[2].endswith("The last valid version stays in use.")
        live.apply(policy(ALLOWS))
        live.until(lambda: read_status(live).get("counts") == {"matched": 2, "violations": 0})
        running.until("successfully updated")


def test_a_dry_run_writes_no_policy_status(live: Installation) -> None:
    live.apply(service("web"), policy())
    live.run_once("--policy-rules=cluster", "--dry-run")
    assert read_status(live) == {}
    live.run_once("--policy-rules=cluster")
    assert read_status(live)["counts"] == {"matched": 1, "violations": 1}


def read_status(live: Installation) -> Json:
    found = live.server.get("DNSPolicy", "", "rule")
    assert found is not None
    return found.get("status") or {}


def find_ready(live: Installation) -> tuple[str, str, str]:
    """Return status, reason and message of the condition `Ready`."""
    (condition,) = read_status(live).get("conditions") or [{"status": "", "reason": "", "message": ""}]
    return condition["status"], condition["reason"], condition["message"]
