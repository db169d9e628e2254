"""A becomes CNAME, a simple record becomes weighted, an Ingress takes a name over from a deleted Service.

The reference deletes in one call and creates in another, or refuses for ever to create beside what it has not
deleted: for a minute, or for good, the name is gone.

What must hold: the old form and the new one are exchanged in one change set, so that the name answers at every
moment; there is no grace in it, and the budget does not count it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.incidents.objects import Json, ingress, numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import Scene, scene
from tests.unit.engine.stage import host

WEIGHTED = {"set-identifier": "blue", "aws-weight": "10"}
WEB = service("web")


def shows(*after: Json) -> Callable[[Scene], None]:
    return lambda world: world.show(*after, for_s=2.0)


def taken_over(world: Scene) -> None:
    world.show(ingress("web", "web.example.org", address="lb.example.net"), for_s=0.5)
    world.delete(WEB, for_s=120.0)


def taken_over_later(world: Scene) -> None:
    world.delete(WEB, for_s=30.0)
    world.show(ingress("web", "web.example.org", address="lb.example.net"), for_s=120.0)


@pytest.mark.parametrize(
    ("happens", "ends"),
    [
        pytest.param(shows(service("web", address="lb.example.net")), {"web CNAME"}, id="a-to-cname"),
        pytest.param(shows(service("web", address="2001:db8::1")), {"web AAAA"}, id="a-to-aaaa"),
        pytest.param(shows(service("web", annotations=WEIGHTED)), {"web A"}, id="simple-to-weighted"),
        pytest.param(taken_over, {"web CNAME"}, id="ingress-beside-a-service-that-is-deleted"),
        pytest.param(taken_over_later, {"web CNAME"}, id="ingress-after-a-service-was-deleted"),
    ],
)
def test_the_name_answers_at_every_moment(happens: Callable[[Scene], None], ends: set[str]) -> None:
    world = scene(WEB)
    before = len(world.provider.submissions)
    happens(world)
    assert set(world.holds()) == ends
    assert len(world.provider.submissions) == before + 1
    for submission in world.provider.submissions:
        assert host("web") in {key.name for key in submission.after}


def test_weighted_becomes_simple_again() -> None:
    world = scene(service("web", annotations=WEIGHTED))
    world.show(WEB, for_s=2.0)
    assert [record.set_identifier for record in world.provider.submissions[-1].after.values()] == ["", ""]
    assert set(world.holds()) == {"web A"}


def test_any_number_may_change_its_form() -> None:
    names = numbered(100)
    world = scene(*services(names))
    world.show(*services(names, address="lb.example.net"), for_s=5.0)
    assert set(world.holds().values()) == {("lb.example.net",)}
    assert not world.code


@pytest.mark.parametrize("address", ["lb.example.net", "2001:db8::1"])
def test_the_whole_program_exchanges_them_in_one_call(production: Production, address: str) -> None:
    production.put(WEB)
    with production.process():
        production.until_published("web")
        written = production.writes()
        production.put(service("web", address=address))
        production.until(lambda: set(production.dns.holds().values()) == {(address,)})
        assert production.writes() == written + 1
        production.dns.whole()
