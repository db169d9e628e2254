"""What is new in what a list and watch shows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extdns.kube.live import roll as module
from extdns.kube.live.roll import MAX_OBJECT_BYTES, News, Roll
from extdns.kube.live.wire import Item, item
from extdns.model.cluster import ObjectChange, ObjectKey, ObjectProblem
from extdns.model.objects import NODE, SERVICE, Service
from tests.clusters import service, told


def shown(name: str, version: str = "1", *, uid: str = "u", type: object = "NodePort", **metadata: Any) -> Item:  # noqa: A002, ANN401 - as the API has it
    obj = service(name, type=type, uid=f"{uid}-{name}", resourceVersion=version, **metadata)
    return item(json.dumps(obj).encode())


NAMELESS = item(b'{"metadata":{"name":5}}')


def listing(roll: Roll, *items: Item) -> list[str]:
    """What a complete list of *items* tells."""
    roll.begin()
    news: list[News] = [one for shown_item in items for one in roll.see(shown_item)]
    return told([*news, *roll.complete()])


def listed(*items: Item) -> Roll:
    roll = Roll(SERVICE)
    listing(roll, *items)
    return roll


def test_a_first_list_is_all_news() -> None:
    roll = Roll(SERVICE)
    assert listing(roll, shown("b"), shown("a")) == ["add Service shop/b", "add Service shop/a"]
    assert roll.decoded == 2


def test_a_later_list_tells_and_decodes_only_what_changed() -> None:
    roll = listed(shown("a"), shown("b"), shown("c"), shown("d"))
    news = listing(roll, shown("a"), shown("b", "2"), shown("c", uid="other"), shown("e"))
    assert news == ["edit Service shop/b", "edit Service shop/c", "add Service shop/e", "drop Service shop/d (missing)"]
    assert roll.decoded == 4 + 3


def test_what_has_no_version_is_read_each_time() -> None:
    roll = listed(shown("a", ""))
    listing(roll, shown("a", ""))
    assert roll.decoded == 2


def test_in_another_history_known_versions_are_read_until_a_list_is_complete() -> None:
    roll = listed(shown("a"), shown("b"))
    roll.forget_versions()
    roll.begin()
    assert told(roll.see(shown("a", type="ClusterIP"))) == ["edit Service shop/a"]  # the list is given up
    assert listing(roll, shown("a", type="ClusterIP"), shown("b", type="ClusterIP"))[-1] == "edit Service shop/b"
    before = roll.decoded
    assert listing(roll, shown("a", type="ClusterIP"), shown("b", type="ClusterIP")) == []
    assert roll.decoded == before


def test_a_list_that_was_given_up_loses_nothing() -> None:
    roll = listed(shown("a"), shown("b"))
    roll.begin()
    assert told(roll.see(shown("b", "2"))) == ["edit Service shop/b"]
    assert listing(roll, shown("a"), shown("b", "2")) == []


def test_events_are_decoded_each_and_tell_from_what_they_come() -> None:
    roll = listed(shown("a"))
    (change,) = roll.change(shown("a", "2", type="ClusterIP"))
    assert isinstance(change, ObjectChange)
    assert isinstance(change.old, Service)
    assert isinstance(change.new, Service)
    assert (change.old.spec.type, change.new.spec.type) == ("NodePort", "ClusterIP")
    assert told(roll.delete(shown("a", "3"))) == ["drop Service shop/a (deleted)"]
    assert told(roll.delete(shown("a", "3"))) == []
    assert told(roll.change(shown("a", "4"))) == ["add Service shop/a"]
    assert roll.decoded == 3


def test_what_is_deleted_while_it_is_listed_is_not_missing() -> None:
    roll = listed(shown("a"))
    roll.begin()
    assert told(roll.delete(shown("a", "2"))) == ["drop Service shop/a (deleted)"]
    assert told(roll.complete()) == []


def test_nothing_at_all_after_something_is_suspicious() -> None:
    roll = Roll(SERVICE)
    roll.begin()
    assert not roll.lost_all
    listing(roll, shown("a"))
    roll.begin()
    assert roll.lost_all
    list(roll.see(shown("b")))
    assert not roll.lost_all


def test_a_bad_version_leaves_the_last_good_one_and_is_told_once() -> None:
    roll = listed(shown("a"))
    assert told(roll.change(shown("a", "2", type=60))) == [
        "a: spec.type is the number 60; allowed: a string, so quote it"
    ]
    assert told(roll.change(shown("a", "3", type=60))) == []
    assert told(roll.change(shown("a", "4", type=70))) == [
        "a: spec.type is the number 70; allowed: a string, so quote it"
    ]
    assert listing(roll, shown("a", "4", type=70)) == []
    assert roll.decoded == 4
    mended, change = roll.change(shown("a", "5", type="ClusterIP"))
    assert mended == ObjectProblem(place="Service shop/a", key=ObjectKey(SERVICE, "shop", "a"), message="")
    assert told([change]) == ["edit Service shop/a"]


@pytest.mark.parametrize("was_good", [True, False])
def test_a_bad_object_that_goes_is_no_problem_any_more(was_good: bool) -> None:
    roll = listed(*([shown("a")] if was_good else []))
    list(roll.change(shown("a", "2", type=60)))
    assert listing(roll) == ["a: ", *(["drop Service shop/a (missing)"] if was_good else [])]
    list(roll.change(shown("a", "3", type=60)))
    assert told(roll.delete(shown("a", "4"))) == ["a: "]


def test_what_cannot_be_identified_may_be_anything_so_nothing_is_missing() -> None:
    roll = listed(shown("a"))
    nameless = "some Service: an object of this kind cannot be identified; allowed: metadata with name and namespace"
    assert listing(roll, NAMELESS) == [nameless]
    assert listing(roll, NAMELESS, NAMELESS) == []
    assert listing(roll) == ["some Service: ", "drop Service shop/a (missing)"]


def test_an_event_that_cannot_be_identified_is_told() -> None:
    roll = Roll(SERVICE)
    assert len(told(roll.change(NAMELESS))) == 1
    assert told(roll.delete(NAMELESS)) == []


def test_an_object_too_large_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_OBJECT_BYTES >> 20 == 8
    monkeypatch.setattr(module, "MAX_OBJECT_BYTES", 1 << 20)
    large = shown("a", annotations={"note": "x" * (3 << 20)})
    assert listing(Roll(SERVICE), large, shown("b")) == [
        "a: the object is 3 MiB large; allowed: 1 MiB",
        "add Service shop/b",
    ]


def test_what_nobody_reads_is_dropped_and_words_are_shared() -> None:
    words = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "example.org/a-word-of-some-length-here": "x"}
    (one,) = Roll(SERVICE).change(shown("a", annotations=words, labels={"app": "web"}))
    (other,) = Roll(SERVICE).change(shown("b", annotations=words))
    assert isinstance(one, ObjectChange)
    assert isinstance(other, ObjectChange)
    assert one.new is not None
    assert other.new is not None
    ((key, value),) = (one.new.metadata.annotations or {}).items()
    ((same, _),) = (other.new.metadata.annotations or {}).items()
    assert (key, value) == ("example.org/a-word-of-some-length-here", "x")
    assert key is same
    assert one.new.metadata.namespace is other.new.metadata.namespace
    assert one.new.metadata.labels == {"app": "web"}


def test_objects_without_namespace_have_none() -> None:
    roll = Roll(NODE)
    (change,) = roll.change(item(b'{"metadata":{"name":"n1","uid":"u","resourceVersion":"1"}}'))
    assert change.key == ObjectKey(NODE, "", "n1")
    assert told(roll.delete(item(b'{"metadata":{"name":"n1"}}'))) == ["drop Node /n1 (deleted)"]
