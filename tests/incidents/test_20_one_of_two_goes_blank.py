"""Two Services share a name in one namespace, and one goes blank; a canary pair in two namespaces, and one goes blank.

Two load balancers stand behind one name, and one of them is being replaced: its status is empty for a while. Or
`stable` and `canary` are published as a weighted pair, and the canary's load balancer is not there yet after a
restart.

What must hold: in one namespace live claims decide, and the name points to the one that can say where it is. Of the
pair each is decided for itself: the record of the blank one stays as it is.
"""

from __future__ import annotations

from tests.incidents.objects import service
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, Scene, scene
from tests.unit.engine.stage import ZONE

ONE = service("one", host="web.example.org")
TWO = service("two", host="web.example.org", address="192.0.2.2")


def half(identifier: str, namespace: str, address: str | None) -> dict[str, object]:
    routed = {"set-identifier": identifier, "aws-weight": "50"}
    return service("web", namespace=namespace, address=address, annotations=routed)


def pair(world: Scene) -> dict[str, tuple[str, ...]]:
    found = world.provider.contents(ZONE)
    return {key.set_identifier: one.targets for key, one in found.items() if key.type == "A"}


def test_in_one_namespace_the_live_one_has_the_name() -> None:
    world = scene(ONE, TWO)
    assert world.holds() == {"web A": ("192.0.2.1", "192.0.2.2")}
    world.show(service("two", host="web.example.org", address=None), for_s=HOUR_S)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    world.show(service("one", host="web.example.org", address=None), for_s=HOUR_S)
    assert world.holds() == {"web A": ("192.0.2.1",)}, "now nobody can say, and what stands stays"
    world.show(ONE, TWO, for_s=5.0)
    assert world.holds() == {"web A": ("192.0.2.1", "192.0.2.2")}


def test_of_a_canary_pair_the_blank_one_stays() -> None:
    world = scene(half("stable", "blue", "192.0.2.1"), half("canary", "green", "192.0.2.2"))
    world.show(half("canary", "green", None), for_s=12 * HOUR_S)
    assert pair(world) == {"stable": ("192.0.2.1",), "canary": ("192.0.2.2",)}
    after = world.again(for_s=12 * HOUR_S)
    assert pair(after) == {"stable": ("192.0.2.1",), "canary": ("192.0.2.2",)}


def test_the_reference_loses_the_canary() -> None:
    world = scene(half("stable", "blue", "192.0.2.1"), half("canary", "green", "192.0.2.2"), flags=COMPAT)
    world.show(half("canary", "green", None), for_s=5.0)
    assert pair(world) == {"stable": ("192.0.2.1",)}


def test_the_whole_program_points_the_name_to_the_one_that_is_left(production: Production) -> None:
    production.put(ONE, TWO)
    with production.process() as running:
        production.until(lambda: production.dns.holds().get("web A") == ("192.0.2.1", "192.0.2.2"))
        production.put(service("two", host="web.example.org", address=None))
        production.until(lambda: production.dns.holds()["web A"] == ("192.0.2.1",))
        production.put(service("one", host="web.example.org", address=None))
        production.seen()
        running.pass_time(HOUR_S)
        production.seen()
        assert production.dns.holds()["web A"] == ("192.0.2.1",)
        production.put(ONE, TWO)
        production.until(lambda: production.dns.holds()["web A"] == ("192.0.2.1", "192.0.2.2"))


def test_the_whole_program_with_compat_loses_the_name_when_both_go_blank(production: Production) -> None:
    production.put(ONE, TWO)
    with production.process("--compat"):
        production.until(lambda: "web A" in production.dns.holds())
        production.put(*(service(name, host="web.example.org", address=None) for name in ("one", "two")))
        production.until(lambda: "web A" not in production.dns.holds())
