"""--resolve-service-load-balancer-hostname (spec sources 3.4, rule 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from extdns.model.claim import Withheld
from extdns.model.cluster import Kind
from extdns.model.host import HOST, Host
from extdns.model.lean import ObjectMeta
from extdns.model.objects import KubernetesObject
from extdns.ports import NotReadyError
from extdns.sources.service.settings import ServiceSettings
from extdns.sources.service.source import ServiceSource
from tests.unit.sources.samples import load_balancer, ours, said

SOURCE = ServiceSource(settings=ServiceSettings(resolves_hostnames=True))
NOTES = ours(hostname="web.t")


class Answers:
    """A view that knows hosts and nothing else."""

    def __init__(self, **hosts: tuple[str, ...] | str) -> None:
        self._hosts = {name.replace("_", "."): answer for name, answer in hosts.items()}
        self.asked: list[str] = []

    def get(self, kind: Kind, namespace: str, name: str) -> KubernetesObject | None:  # noqa: ARG002 - the port
        self.asked.append(name)
        if kind != HOST or name not in self._hosts:
            raise NotReadyError(kind)
        answer = self._hosts[name]
        meta = ObjectMeta(name=name)
        return Host(metadata=meta, failure=answer) if isinstance(answer, str) else Host(metadata=meta, addresses=answer)

    def select(self, kind: Kind, namespace: str, labels: Mapping[str, str]) -> Sequence[KubernetesObject]:  # noqa: ARG002
        raise NotReadyError(kind)


@pytest.mark.parametrize(
    ("points", "view", "records"),
    [
        pytest.param(
            ["lb.t"],
            Answers(lb_t=("192.0.2.1", "192.0.2.2", "2001:db8::1")),
            ["web.t A - [192.0.2.1, 192.0.2.2]", "web.t AAAA - [2001:db8::1]"],
            id="3.4-rule-3-addresses-instead",
        ),
        pytest.param(
            ["198.51.100.7", "lb.t"],
            Answers(lb_t=("192.0.2.1",)),
            ["web.t A - [192.0.2.1, 198.51.100.7]"],
            id="3.4-rule-3-beside-an-ip",
        ),
        pytest.param(["198.51.100.7"], Answers(), ["web.t A - [198.51.100.7]"], id="no-host-no-question"),
        pytest.param(
            ["lb.t", "other.t"],
            Answers(lb_t=("192.0.2.1",), other_t="asking for A: timed out"),
            ["web.t no-address"],
            id="one-that-fails-withholds",
        ),
        pytest.param(
            ["lb.t", "other.t"],
            Answers(lb_t=("192.0.2.1",), other_t=()),
            ["web.t A - [192.0.2.1]"],
            id="3.4-rule-3-one-without-address-contributes-none",
        ),
        pytest.param(
            ["198.51.100.7", "lb.t"], Answers(lb_t=()), ["web.t A - [198.51.100.7]"], id="3.4-rule-3-an-ip-beside-none"
        ),
        pytest.param(["lb.t", "other.t"], Answers(lb_t=(), other_t=()), ["web.t no-address"], id="none-has-an-address"),
    ],
)
def test_a_host_name_is_published_as_its_addresses(points: list[str], view: Answers, records: list[str]) -> None:
    assert said(SOURCE.claims(load_balancer(NOTES, *points), view)) == records


@pytest.mark.parametrize(
    ("view", "detail"),
    [
        pytest.param(Answers(lb_t=(), other_t=()), "there is no address of lb.t and other.t", id="none"),
        pytest.param(Answers(lb_t=(), other_t="timed out"), "other.t does not resolve: timed out", id="not-known"),
    ],
)
def test_what_keeps_a_name_from_being_published_is_told(view: Answers, detail: str) -> None:
    (claim,) = SOURCE.claims(load_balancer(NOTES, "lb.t", "other.t"), view)
    assert isinstance(claim, Withheld)
    assert claim.detail == detail


def test_a_host_that_was_not_answered_yet_is_waited_for() -> None:
    with pytest.raises(NotReadyError, match="Host"):
        SOURCE.claims(load_balancer(NOTES, "lb.t"), Answers())


def test_all_host_names_are_asked_for_before_the_first_is_waited_for() -> None:
    # A single pass ends once nothing is waited for: it would not see what is asked for only after the first answer.
    view = Answers(other_t=("192.0.2.1",))
    with pytest.raises(NotReadyError, match="Host"):
        SOURCE.claims(load_balancer(NOTES, "lb.t", "other.t", "third.t"), view)
    assert view.asked == ["lb.t", "other.t", "third.t"]


def test_without_the_flag_the_name_is_published() -> None:
    claims = ServiceSource(settings=ServiceSettings()).claims(load_balancer(NOTES, "lb.t"), Answers())
    assert said(claims) == ["web.t CNAME - [lb.t]"]
