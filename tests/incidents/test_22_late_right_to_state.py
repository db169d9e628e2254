"""The right to keep state arrives late.

The ConfigMap may not be read: the Role was forgotten, and is added at noon.

What must hold: everything but what rests on state goes on from the first second; what nobody has asked for since the
start is held, since nobody knows whether the settings are the same. State that was there before is not overwritten by
what the process has in mind. When the right arrives, what was accepted before counts, as at a start.
"""

from __future__ import annotations

from extdns.model.saved import Saved
from tests.incidents.objects import numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import HOUR_S, MINUTE_S, Scene, scene

NAMES = numbered(60)


def without(dark: tuple[str, ...] = ()) -> Scene:
    """A process that may not read what its forerunner kept, while the Services *dark* asked for nothing any more."""
    before = scene(*services(NAMES))
    assert before.shelf.saved.of("example.org").fingerprint
    before.shelf.forbidden = True
    for name in dark:
        one = service(name)
        one["metadata"]["annotations"] = {}
        before.show(one, for_s=0.0)
    return before.again(for_s=5.0)


def test_all_but_orphans_goes_on() -> None:
    world = without()
    world.show(service("new"), service(NAMES[0], address="192.0.2.9"), for_s=2.0)
    world.delete(service(NAMES[1]), for_s=2 * MINUTE_S)
    assert world.published() == {*NAMES, "new"} - {NAMES[1]}


def test_what_nobody_asks_for_is_held_until_it_arrives() -> None:
    world = without(dark=(NAMES[0],))
    kept = world.shelf.saved
    world.run(for_s=HOUR_S)
    assert world.shown_held() == {NAMES[0]}
    assert world.shelf.saved == kept
    world.shelf.forbidden = False
    world.run(for_s=10 * MINUTE_S)
    assert world.published() == set(NAMES[1:])
    assert world.evidence == ["orphan-unclaimed"]


def test_without_a_word_of_accepted_settings_it_is_held_for_good() -> None:
    world = without(dark=(NAMES[0],))
    world.shelf.saved = Saved()
    world.shelf.forbidden = False
    world.run(for_s=HOUR_S)
    assert world.shown_held() == {NAMES[0]}


def test_the_budget_of_the_forerunner_counts_from_then_on() -> None:
    before = scene(*services(NAMES))
    before.delete(*services(NAMES[:17]), for_s=70.0)
    assert before.published() == set(NAMES[17:])
    before.shelf.forbidden = True
    after = before.again(for_s=5.0)
    after.shelf.forbidden = False
    after.run(for_s=5 * MINUTE_S)
    after.delete(*services(NAMES[17:22]), for_s=2 * MINUTE_S)
    assert after.shown_held() == set(NAMES[17:22])


def test_the_whole_program_goes_on_and_holds_what_nobody_asks_for(production: Production) -> None:
    names = NAMES[:20]
    production.put(*services(names))
    with production.process():
        production.until_published(*names)
        production.until(lambda: "fingerprint" in production.state())
    blind = service(names[0])
    blind["metadata"]["annotations"] = {}
    production.put(blind)
    production.server.forbid("*", "configmaps")
    with production.process() as running:
        running.until("Deletes are held", "count=1")
        running.pass_time(2 * MINUTE_S)
        production.seen()
        assert production.published() == set(names)
        production.server.permit("*", "configmaps")
        running.pass_time(5 * MINUTE_S)
        running.until("No delete is held")
        running.pass_time(MINUTE_S)
        production.until_published(*names[1:])
