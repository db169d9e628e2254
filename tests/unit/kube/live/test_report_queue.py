"""What reflectors report waits until it is taken."""

from __future__ import annotations

from typing import Final

from extdns.kube.live.cluster import ReportQueue
from extdns.kube.local_store import ReflectorReport
from extdns.model.cluster import ObjectChange, ObjectProblem, Phase, Sighting
from extdns.model.kind import ObjectKey, ObjectMeta
from extdns.resources.core import SERVICE, Service

KEYS: Final = [ObjectKey(SERVICE, "shop", name) for name in ("web", "api")]
FIRST, SECOND, THIRD = (
    Service(metadata=ObjectMeta(name="web", namespace="shop", resource_version=f"{number}")) for number in range(3)
)


def test_of_an_object_that_changes_faster_than_it_is_taken_only_the_last_version_waits() -> None:
    web, api = KEYS
    problem = ObjectProblem(location="Service shop/web", key=web, message="is odd")
    queue = ReportQueue()
    for deltas in (
        (ObjectChange(key=web, old=FIRST, new=SECOND),),
        (ObjectChange(key=api, old=None, new=FIRST), problem),
        (ObjectChange(key=web, old=SECOND, new=None, seen=Sighting.DELETED),),
        (ObjectChange(key=web, old=None, new=THIRD),),
    ):
        queue.put(ReflectorReport(kind=SERVICE, namespace="", deltas=deltas))
    synced = ReflectorReport(kind=SERVICE, namespace="", phase=Phase.SYNCED)
    queue.put(synced)
    assert queue.take(0.0) == (
        ObjectChange(key=web, old=FIRST, new=THIRD),
        ObjectChange(key=api, old=None, new=FIRST),
        problem,
        synced,
    )
    assert queue.take(0.0) == ()
