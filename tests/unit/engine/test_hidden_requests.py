"""Records stay while a mistake on their object may hide a request for them (docs/design/delete-safety.md).

Such an object has an invalid hostname, or an annotation whose key is misspelled.
"""

from __future__ import annotations

import pytest

from extdns.engine.delete_settings import DeleteLimits, DeleteSettings
from extdns.model.change import Action
from extdns.model.claim import InvalidClaim
from extdns.model.evidence import Evidence
from extdns.model.reason import Reason
from tests.builders import build_claim, build_unresolved, observe, origin, owned
from tests.cluster_world import ClusterWorld, key_of, start_cluster
from tests.objects import OLD_PREFIX, PREFIX, Json, service
from tests.world import start_world

WEB, OTHER = service("web"), service("other")


def annotate(**annotations: str) -> Json:
    """Return the Service `web` with *annotations* in place of its own; `_` in a key stands for `-`."""
    changed = service("web")
    changed["metadata"]["annotations"] = {PREFIX + key.replace("_", "-"): value for key, value in annotations.items()}
    return changed


MISSPELLED = annotate(hostnames="web.example.org")
INVALID = annotate(hostname="web..example.org")
OLDER_PREFIX = annotate(ttl="60")
OLDER_PREFIX["metadata"]["annotations"][OLD_PREFIX + "hostname"] = "web.example.org"
HIDDEN = [
    pytest.param(MISSPELLED, Reason.IGNORED_ANNOTATION, id="misspelled key"),
    pytest.param(OLDER_PREFIX, Reason.IGNORED_ANNOTATION, id="older prefix"),
    pytest.param(INVALID, Reason.INVALID_NAME, id="invalid hostname"),
]


RESTARTED = pytest.mark.parametrize("restarted", [False, True], ids=["same process", "after a restart"])


def start_published(*flags: str) -> ClusterWorld:
    """Start a process that publishes two Services, long enough ago for its settings to be accepted."""
    return start_cluster(WEB, OTHER, flags=flags, for_s=700.0)


def restart_with(world: ClusterWorld, changed: Json, *flags: str) -> ClusterWorld:
    """Start another process after *changed* replaced the object of that name while no process ran."""
    world.objects[key_of(changed)] = changed
    return world.restart(*flags, for_s=700.0)


@RESTARTED
@pytest.mark.parametrize(("changed", "reason"), HIDDEN)
def test_record_stays_while_a_mistake_may_hide_its_request(changed: Json, reason: Reason, *, restarted: bool) -> None:
    world = start_published()
    if restarted:
        world = restart_with(world, changed)
    else:
        world.apply(changed, for_s=700.0)
    assert world.published() == {"web", "other"}
    assert world.list_decisions("web") == [("A", Action.KEEP, reason)]
    assert world.decision("web").detail.startswith("Service shop/web: ")


def test_record_is_deleted_after_a_restart_if_no_longer_requested() -> None:
    world = restart_with(start_published(), annotate(ttl="60"))
    assert world.published() == {"other"}


@pytest.mark.parametrize(("changed", "reason"), HIDDEN)
def test_delete_ends_if_a_mistake_may_hide_a_new_request(changed: Json, reason: Reason) -> None:
    world = start_published()
    world.apply(annotate(), for_s=30.0)
    assert world.decision("web").reason is Reason.IN_GRACE
    world.apply(changed, for_s=120.0)
    assert world.decision("web").reason is reason
    world.apply(annotate(), for_s=120.0)
    assert world.published() == {"other"}


def test_record_is_deleted_with_its_misspelled_object() -> None:
    world = start_published()
    world.apply(MISSPELLED)
    world.delete(MISSPELLED, for_s=59.0)
    assert world.published() == {"web", "other"}
    world.run(for_s=2.0)
    assert set(world.evidence) == {Evidence.OBJECT_DELETED}


def test_removed_hostname_stays_while_another_of_its_object_is_invalid() -> None:
    world = start_cluster(service("web", "web.example.org,api.example.org"), for_s=700.0)
    world.apply(annotate(hostname="web.example.org,api..example.org"), for_s=700.0)
    assert world.published() == {"web", "api"}
    assert world.decision("web").reason is Reason.PUBLISHED
    assert world.decision("api").reason is Reason.INVALID_NAME


def test_unresolved_timeout_limits_how_long_a_misspelling_keeps_a_record() -> None:
    world = start_published("--unresolved-timeout=10m")
    world.apply(MISSPELLED, for_s=599.0)
    assert world.published() == {"web", "other"}
    world.run(for_s=20.0)
    assert world.published() == {"other"}


@pytest.mark.parametrize("changed", [MISSPELLED, INVALID], ids=["misspelled key", "invalid hostname"])
def test_mistake_deletes_the_record_with_compat(changed: Json) -> None:
    world = start_published("--compat", "--policy=sync")
    world.apply(changed, for_s=120.0)
    assert world.published() == {"other"}


def test_reason_of_orphan_without_resource_is_independent_of_order() -> None:
    invalid = [
        observe(name, InvalidClaim(provenance=origin(name), reason=reason, value="a..b", allowed="a name"))
        for name, reason in (("api", Reason.INVALID_NAME), ("app", Reason.IGNORED_ANNOTATION))
    ]
    found = [start_world(*owned("web", resource=""), first=order).decision("web") for order in (invalid, invalid[::-1])]
    assert found[0] == found[1]
    assert found[0].action is Action.KEEP


@pytest.mark.parametrize("resource", ["", "service/shop/web"])
def test_unresolved_timeout_deletes_no_record_the_object_never_requested(resource: str) -> None:
    invalid = InvalidClaim(provenance=origin("web"), reason=Reason.INVALID_NAME, value="a..b", allowed="a name")
    deletes = DeleteSettings(owner="me", unresolved_timeout_s=100.0, limits=DeleteLimits(percent=100))
    world = start_world(*owned("web", resource=resource), first=[observe("web", invalid)], deletes=deletes)
    world.run(for_s=500.0)
    assert world.decision("web").reason is Reason.INVALID_NAME


@RESTARTED
def test_name_does_not_pass_to_another_namespace_while_a_mistake_hides_it(restarted: bool) -> None:
    rival = service("rival", "web.example.org", namespace="lab", address="192.0.2.9", created="2026-02-01T00:00:00Z")
    world = start_cluster(WEB, rival, for_s=700.0)
    world = restart_with(world, MISSPELLED) if restarted else world
    world.apply(MISSPELLED, for_s=700.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    world.apply(annotate(ttl="60"), for_s=700.0)
    assert world.list_records() == {"web A": ("192.0.2.9",)}


def test_no_target_is_removed_while_the_object_states_an_invalid_one() -> None:
    claims = build_claim("web", "web", "192.0.2.3"), build_unresolved("web", "web", Reason.INVALID_TARGET)
    world = start_world(*owned("web"), first=[observe("web", *claims)])
    world.run(for_s=600.0)
    assert world.list_records() == {"web A": ("192.0.2.1",)}
    assert world.list_decisions("web") == [("A", Action.KEEP, Reason.INVALID_TARGET)]
