"""The ownership TXT is removed by hand; a foreign TXT stands on our name.

Somebody cleans up "those strange TXT records", or gives a name to another team by replacing its mark. Somebody else
needs a verification TXT at a name that we publish.

What must hold: a record without our mark is not ours any more: it is neither changed nor deleted, nor is the mark put
back. A TXT of somebody else stays when our record beside it changes and goes.
"""

from __future__ import annotations

import pytest

from extdns.model.record import Record
from tests.incidents.objects import service
from tests.incidents.scene import HOUR_S, scene
from tests.unit.engine.stage import ZONE, mark, record

VERIFICATION = record("web", '"google-site-verification=abc"', rtype="TXT")
AT_THE_MARK = record("a-web", '"v=spf1 -all"', rtype="TXT")


@pytest.mark.parametrize(
    "instead",
    [
        pytest.param(None, id="removed"),
        pytest.param(AT_THE_MARK, id="replaced-by-another-text"),
        pytest.param(mark("web", owner="other"), id="replaced-by-the-mark-of-another"),
    ],
)
@pytest.mark.parametrize("restarts", [False, True])
def test_without_our_mark_a_record_is_left_alone(*, instead: Record | None, restarts: bool) -> None:
    world = scene(service("web"))
    world.provider.remove(ZONE, mark("web").key)
    if instead:
        world.provider.put(ZONE, instead)
    if restarts:
        world = world.again()
    world.run(for_s=2 * HOUR_S)
    before = world.provider.contents(ZONE)
    world.show(service("web", address="192.0.2.9"), for_s=HOUR_S)
    world.delete(service("web"), for_s=HOUR_S)
    assert world.provider.contents(ZONE) == before
    assert world.holds()["web A"] == ("192.0.2.1",)


def test_a_write_that_has_not_seen_the_loss_of_the_mark_is_not_made() -> None:
    world = scene(service("web"))
    world.provider.remove(ZONE, mark("web").key)
    world.show(service("web", address="192.0.2.9"), for_s=HOUR_S)
    assert world.holds() == {"web A": ("192.0.2.1",)}
    assert world.marks() == set()


def test_a_text_of_somebody_else_at_our_name_stays() -> None:
    world = scene(service("web"), records=[VERIFICATION])
    world.show(service("web", address="192.0.2.9"), for_s=5.0)
    assert world.holds()["web A"] == ("192.0.2.9",)
    world.delete(service("web"), for_s=HOUR_S)
    assert list(world.provider.contents(ZONE).values()) == [VERIFICATION]
