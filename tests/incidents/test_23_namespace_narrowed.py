"""`--namespace` is narrowed.

Somebody adds `--namespace=shop` to an installation that served all namespaces. Nothing reads the other namespaces any
more; the reference deletes what was published for them.

What must hold: that nobody reads a namespace is no evidence about it: its records are held until a person says so.
Widened again, nothing was.
"""

from __future__ import annotations

from tests.incidents.objects import numbered, services
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, MINUTE_S, Scene, scene

SHOP, BLOG = numbered(20, "s"), numbered(20, "b")
ALL = [*services(SHOP), *services(BLOG, namespace="blog")]


def narrowed(*flags: str) -> Scene:
    before = scene(*ALL, flags=flags)
    before.run(for_s=MINUTE_S)
    return before.again("--namespace=shop", *flags, for_s=HOUR_S)


def test_records_of_the_others_are_held() -> None:
    world = narrowed()
    assert world.shown_held() == set(BLOG)
    assert world.endings(BLOG[0]) == ["A keep orphan-unclaimed"]
    assert not world.provider.submissions


def test_widened_again_nothing_was() -> None:
    world = narrowed().again(for_s=HOUR_S)
    assert not world.provider.submissions
    assert world.shown_held() == set()


def test_released_they_go_and_the_settings_are_accepted() -> None:
    world = narrowed()
    accepted = world.shelf.saved.of("example.org").fingerprint
    world.release()
    world.run(for_s=MINUTE_S)
    assert world.published() == set(SHOP)
    assert world.shelf.saved.of("example.org").fingerprint not in {"", accepted}


def test_the_reference_loses_them() -> None:
    assert narrowed(*COMPAT).published() == set(SHOP)


def test_the_whole_program_holds_them(production: Production) -> None:
    production.put(*services(SHOP[:9]), *services(BLOG[:9], namespace="blog"))
    with production.process():
        production.until_published(*SHOP[:9], *BLOG[:9])
    with production.process("--namespace=shop") as running:
        running.until("Deletes are held", "count=9")
        running.pass_time(HOUR_S)
        production.seen()
        assert production.published() == {*SHOP[:9], *BLOG[:9]}


def test_the_whole_program_loses_them_as_the_reference_does(production: Production) -> None:
    production.put(*services(SHOP[:9]), *services(BLOG[:9], namespace="blog"))
    with production.process():
        production.until_published(*SHOP[:9], *BLOG[:9])
    with production.process("--namespace=shop", "--compat"):
        production.until_published(*SHOP[:9])
