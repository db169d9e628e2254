"""--resolve-service-load-balancer-hostname (docs/spec/sources.md 3.4, rule 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from extdns.model.claim import UnresolvedClaim
from extdns.model.kind import Kind, KubernetesObject, ObjectMeta
from extdns.ports import NotSyncedError
from extdns.resources.resolved_host import RESOLVED_HOST, ResolvedHost
from tests.unit.sources.expected_claims import reduce_claims
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.samples import load_balancer, ours

SOURCE = build_source("service", settings_with(resolve_service_load_balancer_hostname=True))
ANNOTATIONS = ours(hostname="web.t")


class Answers:
    """A cluster view that contains only results of DNS lookups."""

    def __init__(self, **hosts: tuple[str, ...] | str) -> None:
        self._hosts = {name.replace("_", "."): answer for name, answer in hosts.items()}
        self.looked_up: list[str] = []

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:  # noqa: ARG002 - the port
        self.looked_up.append(name)
        if kind != RESOLVED_HOST or name not in self._hosts:
            raise NotSyncedError(kind)
        answer = self._hosts[name]
        meta = ObjectMeta(name=name)
        return (
            ResolvedHost(metadata=meta, failure=answer)
            if isinstance(answer, str)
            else ResolvedHost(metadata=meta, addresses=answer)
        )

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:  # noqa: ARG002
        raise NotSyncedError(kind)


@pytest.mark.parametrize(
    ("points", "view", "records"),
    [
        pytest.param(
            ["lb.t"],
            Answers(lb_t=("192.0.2.1", "192.0.2.2", "2001:db8::1")),
            ["web.t A 192.0.2.1, 192.0.2.2", "web.t AAAA 2001:db8::1"],
            id="3.4-rule-3-addresses-instead",
        ),
        pytest.param(
            ["198.51.100.7", "lb.t"],
            Answers(lb_t=("192.0.2.1",)),
            ["web.t A 192.0.2.1, 198.51.100.7"],
            id="3.4-rule-3-host-and-address",
        ),
        pytest.param(["198.51.100.7"], Answers(), ["web.t A 198.51.100.7"], id="no-host-no-lookup"),
        pytest.param(
            ["lb.t", "other.t"],
            Answers(lb_t=("192.0.2.1",), other_t="the A query failed: timed out"),
            ["web.t: no-address"],
            id="failed-lookup-leaves-the-name-unresolved",
        ),
        pytest.param(
            ["lb.t", "other.t"],
            Answers(lb_t=("192.0.2.1",), other_t=()),
            ["web.t A 192.0.2.1"],
            id="3.4-rule-3-host-without-address-adds-no-target",
        ),
        pytest.param(
            ["198.51.100.7", "lb.t"],
            Answers(lb_t=()),
            ["web.t A 198.51.100.7"],
            id="3.4-rule-3-address-and-unresolved-host",
        ),
        pytest.param(
            ["lb.t", "other.t"], Answers(lb_t=(), other_t=()), ["web.t: no-address"], id="no-host-has-an-address"
        ),
    ],
)
def test_with_the_resolve_flag_a_load_balancer_host_name_is_replaced_by_its_addresses(
    points: list[str], view: Answers, records: list[str]
) -> None:
    assert reduce_claims(SOURCE.find_claims(load_balancer(ANNOTATIONS, *points), view)) == records


@pytest.mark.parametrize(
    ("view", "detail"),
    [
        pytest.param(Answers(lb_t=(), other_t=()), "no addresses were found for lb.t and other.t", id="none"),
        pytest.param(Answers(lb_t=(), other_t="timed out"), "other.t cannot be resolved: timed out", id="not-known"),
    ],
)
def test_a_failed_or_empty_lookup_of_a_load_balancer_gives_an_unresolved_claim_with_the_reason(
    view: Answers, detail: str
) -> None:
    (claim,) = SOURCE.find_claims(load_balancer(ANNOTATIONS, "lb.t", "other.t"), view)
    assert isinstance(claim, UnresolvedClaim)
    assert claim.detail == detail


def test_claims_of_a_service_are_unknown_until_the_first_lookup_of_its_load_balancer_host_name() -> None:
    with pytest.raises(NotSyncedError, match="Host"):
        SOURCE.find_claims(load_balancer(ANNOTATIONS, "lb.t"), Answers())


def test_lookups_of_all_host_names_of_a_load_balancer_start_before_the_first_result_is_awaited() -> None:
    # With --once the full pass starts when no lookup is open, so a lookup that starts later would be missed.
    view = Answers(other_t=("192.0.2.1",))
    with pytest.raises(NotSyncedError, match="Host"):
        SOURCE.find_claims(load_balancer(ANNOTATIONS, "lb.t", "other.t", "third.t"), view)
    assert view.looked_up == ["lb.t", "other.t", "third.t"]
