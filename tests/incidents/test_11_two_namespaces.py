"""Two namespaces ask for one host.

A team copies an Ingress of another with its hostname. The reference merges the targets: half of the visitors reach
the wrong pods, and nobody is told. When one of the two goes, its targets go.

What must hold: who has the name keeps it, and the other is told. When the first one goes, the other takes over after
the grace, without a moment in which the name is gone. A record that the reference has merged stays until one changes.
"""

from __future__ import annotations

from tests.incidents.objects import numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, scene
from tests.incidents.shelf import Shelf

OURS = service("web", namespace="blue")
THEIRS = service("web", namespace="green", address="192.0.2.2", created="2025-01-01T00:00:00Z")


def test_the_holder_keeps_it_though_the_other_is_older() -> None:
    world = scene(OURS)
    world.show(THEIRS, for_s=HOUR_S)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert "A none conflict-lost" in world.endings("web")
    assert world.again(for_s=HOUR_S).holds() == {"web A": ("192.0.2.1",)}


def test_the_other_takes_over_without_a_gap() -> None:
    world = scene(OURS)
    world.show(THEIRS)
    world.delete(OURS, for_s=59.0)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    world.run(for_s=5.0)
    assert world.holds() == {"web A": ("192.0.2.2",)}
    assert not world.deleted()


def test_many_names_pass_on_though_as_many_would_not_go() -> None:
    names = numbered(40)
    world = scene(*services(names[:20], namespace="blue"), *services(names[20:], namespace="rest"), for_s=60.0)
    world.show(*services(names[:20], namespace="green", address="192.0.2.2"))
    world.delete(*services(names[:20], namespace="blue"), for_s=59.0)
    assert not world.code
    world.run(for_s=5.0)
    assert {world.holds()[f"{name} A"] for name in names[:20]} == {("192.0.2.2",)}
    assert not world.deleted()


def test_while_the_holder_is_blank_nobody_takes_over() -> None:
    world = scene(OURS)
    world.show(THEIRS, service("web", namespace="blue", address=None), for_s=12 * HOUR_S)
    assert world.holds() == {"web A": ("192.0.2.1",)}


def test_a_record_that_the_reference_merged_stays_until_one_of_them_changes() -> None:
    before = scene(OURS, THEIRS, flags=COMPAT)
    assert before.holds() == {"web A": ("192.0.2.1", "192.0.2.2")}, "the reference's loss: half of the visits go astray"
    before.shelf = Shelf()
    after = before.again(for_s=HOUR_S)
    assert not after.provider.submissions
    assert "A keep merged-before" in after.endings("web")


def test_the_whole_program_leaves_it_with_its_holder(production: Production) -> None:
    production.put(OURS)
    with production.process() as running:
        production.until_published("web")
        production.put(THEIRS)
        production.seen()
        assert production.dns.holds()["web A"] == ("192.0.2.1",)
        production.delete(OURS)
        production.seen()
        running.pass_time(61.0)
        production.until(lambda: production.dns.holds()["web A"] == ("192.0.2.2",))
        production.dns.whole()
