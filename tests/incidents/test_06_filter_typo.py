"""A label filter with a typo.

`--label-filter=team=shpo` instead of `team=shop`: no object is selected any more. The reference asks the API server
for the objects that match, gets an empty list, and deletes everything.

What must hold: objects that are not selected at their first sight are no evidence; their records are held until the
typo is mended, after which nothing was, or until a person releases them, because it was no typo.
"""

from __future__ import annotations

from tests.incidents.objects import numbered, service, services
from tests.incidents.production import Production
from tests.incidents.scene import COMPAT, HOUR_S, MINUTE_S, Scene, scene

NAMES = numbered(40)
SHOP = {"team": "shop"}
RIGHT, WRONG = "--label-filter=team=shop", "--label-filter=team=shpo"


def mistyped(*flags: str) -> Scene:
    before = scene(*services(NAMES, labels=SHOP), flags=[RIGHT, *flags])
    before.run(for_s=MINUTE_S)
    return before.again(WRONG, *flags, for_s=HOUR_S)


def test_all_are_held() -> None:
    world = mistyped()
    assert world.shown_held() == set(NAMES)
    assert not world.provider.submissions


def test_once_mended_nothing_was() -> None:
    world = mistyped().again(RIGHT, for_s=HOUR_S)
    assert not world.provider.submissions
    assert world.shown_held() == set()


def test_a_person_may_mean_it() -> None:
    world = mistyped()
    world.release()
    assert world.published() == set()


def test_an_object_that_loses_its_label_while_all_else_is_in_order_goes() -> None:
    world = scene(*services(NAMES, labels=SHOP), flags=[RIGHT])
    world.show(service(NAMES[0], labels={"team": "blog"}), for_s=2 * MINUTE_S)
    assert world.published() == set(NAMES[1:])
    assert world.evidence == ["filtered-out"]


def test_the_reference_loses_all() -> None:
    assert mistyped(*COMPAT).published() == set()


def test_the_whole_program_holds_all(production: Production) -> None:
    production.put(*services(NAMES[:14], labels=SHOP))
    with production.process(RIGHT):
        production.until_published(*NAMES[:14])
    with production.process(WRONG) as running:
        running.until("Deletes are held", "count=14")
        running.pass_time(HOUR_S)
        production.seen(labels={"team": "shpo"})
        assert production.published() == set(NAMES[:14])


def test_the_whole_program_loses_all_as_the_reference_does(production: Production) -> None:
    production.put(*services(NAMES[:14], labels=SHOP))
    with production.process(RIGHT):
        production.until_published(*NAMES[:14])
    with production.process(WRONG, "--compat"):
        production.until_published()
