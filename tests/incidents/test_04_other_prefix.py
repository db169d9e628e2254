"""A new version reads annotations by another prefix.

The image is swapped; the new version looks for `external-dns.kubernetes.io/` alone, the objects carry
`external-dns.alpha.kubernetes.io/`. Every object exists, and none asks for anything any more. The reference deletes
all that it owns.

What must hold: with the flag not given, both prefixes are read and nothing is written. With the new prefix forced,
everything is held, at the first start and at every further one; the settings are not accepted as long as that is so.
"""

from __future__ import annotations

import pytest

from tests.incidents.objects import OLD_PREFIX, PREFIX, numbered, services
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, MINUTE_S, Scene, scene
from tests.unit.engine.stage import owned

FORCED = f"--annotation-prefix={PREFIX}"


def swapped(count: int, *flags: str) -> Scene:
    """The first start over a zone that the reference left, and no state."""
    names = numbered(count)
    left = [one for name in names for one in owned(name, resource=f"service/shop/{name}")]
    return scene(*services(names, prefix=OLD_PREFIX), flags=flags, records=left, page_size=1000, for_s=2 * MINUTE_S)


def test_both_prefixes_are_read() -> None:
    world = swapped(40)
    assert not world.provider.submissions
    assert world.endings("h0000") == ["A keep programmed"]


@pytest.mark.parametrize("count", [8, 8000])
def test_with_the_new_one_forced_all_are_held(count: int) -> None:
    world = swapped(count, FORCED)
    assert len(world.shown_held()) == count
    assert world.endings("h0000") == ["A keep orphan-unclaimed"]
    assert not world.provider.submissions


def test_a_crash_right_after_makes_no_difference() -> None:
    world = swapped(8, FORCED)
    for dark_s in (0.0, 1.0, HOUR_S):
        world = world.again(FORCED, dark_s=dark_s, for_s=30.0)
    world.run(for_s=3 * HOUR_S)
    assert len(world.published()) == 8
    assert not world.shelf.saved.of("example.org").fingerprint


def test_settings_that_were_in_order_before_do_not_let_others_through() -> None:
    before = scene(*services(numbered(8), prefix=OLD_PREFIX))
    before.run(for_s=HOUR_S)
    assert before.shelf.saved.of("example.org").fingerprint
    after = before.again(FORCED, for_s=3 * HOUR_S)
    assert len(after.published()) == 8


def test_the_reference_loses_all() -> None:
    assert swapped(8, *COMPAT).published() == set()


def test_the_whole_program_holds_all(production: Production) -> None:
    names = numbered(8)
    production.put(*services(names, prefix=OLD_PREFIX))
    with production.process():
        production.until_published(*names)
    with production.process(FORCED) as running:
        running.until("Deletes are held", "count=8")
        running.pass_time(HOUR_S)
        production.seen()
        assert production.published() == set(names)
    with production.process():
        production.seen()
        assert production.published() == set(names)


def test_the_whole_program_loses_all_as_the_reference_does(production: Production) -> None:
    names = numbered(8)
    production.put(*services(names, prefix=OLD_PREFIX))
    with production.process():
        production.until_published(*names)
    with production.process("--compat"):
        production.until_published()
