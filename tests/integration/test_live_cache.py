"""The live cluster against a fake API server: after any sequence of changes and faults its cache equals the server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from extdns.kube.local_store import is_unchanged
from extdns.model.cluster import ClusterChange, ObjectChange, Phase, Sighting
from extdns.model.kind import KubernetesObject, ObjectKey
from extdns.resources.core import SERVICE
from tests.clusters import SHORT_TIMEOUT_S, live_cluster, service, wait_for_changes
from tests.fakes.apiserver.faults import Cut, Drop, Empty, Fault, Html, Refuse, Slow, Stall, Truncated, Unknown
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order

NAMESPACES: Final = ("pay", "shop")
FAULTS: Final = st.one_of(
    st.builds(Drop),
    st.builds(Stall, st.sampled_from([None, 0, 1])),
    st.builds(Cut, st.sampled_from([0, 1, 2])),
    st.builds(Slow, st.just(64)),
    st.builds(
        Refuse, code=st.sampled_from([400, 401, 403, 404, 409, 410, 422, 429, 500, 503, 504]), framed=st.booleans()
    ),
    st.builds(Refuse, code=st.just(429), retry_after_s=st.just(0)),
    st.builds(Html),
    st.builds(Truncated),
    st.builds(Unknown),
)


class Scripts(RuleBasedStateMachine):
    """Changes objects and injects faults, then clears all faults and compares the cache with the API server."""

    @initialize(
        mode=st.sampled_from(WatchList),
        gone_as_status=st.booleans(),
        namespaces=st.sampled_from([(), ("shop",), NAMESPACES]),
        names=st.sets(st.tuples(st.sampled_from(NAMESPACES), st.sampled_from("abcde"))),
    )
    def begin(
        self, mode: WatchList, gone_as_status: bool, namespaces: tuple[str, ...], names: set[tuple[str, str]]
    ) -> None:
        self.folder = TemporaryDirectory()
        self.server = ApiServer().__enter__()
        self.server.api.watch_list, self.server.api.gone_as_status = mode, gone_as_status
        self.alive = self.lies = self.is_first_history = True
        self.gone: set[str] = set()
        self.deleted: set[str] = set()
        self.replayed: dict[ObjectKey, KubernetesObject] = {}
        self.namespaces = namespaces
        for namespace, name in sorted(names):
            self.server.put(service(name, namespace))
        self.cluster = live_cluster(
            self.server, Path(self.folder.name), namespaces=namespaces, timeout_s=SHORT_TIMEOUT_S
        )
        self.cluster.require(SERVICE)

    # Changes of objects

    @rule(
        namespace=st.sampled_from(NAMESPACES),
        name=st.sampled_from("abcde"),
        type_=st.sampled_from(["ClusterIP", "NodePort", "LoadBalancer"]),
        unread=st.sampled_from(["x", "y"]),
    )
    def put(self, namespace: str, name: str, type_: str, unread: str) -> None:
        obj = service(name, namespace, type=type_)
        obj["spec"]["sessionAffinity"] = unread
        self.server.put(obj)

    @rule(pick=st.integers(0, 9))
    def delete(self, pick: int) -> None:
        objects = self.server.objects("Service")
        if objects:
            metadata = objects[pick % len(objects)]["metadata"]
            self.gone.add(metadata["uid"])
            self.deleted.add(metadata["uid"])
            self.server.delete("Service", metadata["namespace"], metadata["name"])

    @rule()
    def take(self) -> None:
        self.replay(self.cluster.take(0.01))

    # Faults

    @rule(fault=FAULTS, verb=st.sampled_from(["list", "watch"]), times=st.sampled_from([1, 1, 3]))
    def arm(self, fault: Fault, verb: str, times: int) -> None:
        self.server.faults.arm(fault, verb=verb, resource="services", times=times)

    @precondition(lambda self: self.lies)
    @rule(verb=st.sampled_from(["list", "watch"]), null=st.booleans())
    def lie(self, verb: str, null: bool) -> None:
        """Return an empty list once. A second empty list in a row would be believed."""
        self.lies = False
        self.server.faults.arm(Empty(null=null), verb=verb, resource="services")

    @rule(order=st.sampled_from(Order))
    def end_watches(self, order: Order) -> None:
        self.server.end_watches(order)

    @rule()
    def expire(self) -> None:
        self.server.expire()

    @rule(verb=st.sampled_from(["list", "watch", "*"]))
    def forbid(self, verb: str) -> None:
        self.server.forbid(verb, "services")
        self.server.end_watches(Order.CUT)

    @rule(verb=st.sampled_from(["list", "watch", "*"]))
    def permit(self, verb: str) -> None:
        self.server.permit(verb, "services")

    @rule(mode=st.sampled_from(WatchList))
    def upgrade(self, mode: WatchList) -> None:
        self.server.api.watch_list = mode

    @precondition(lambda self: self.alive)
    @rule()
    def kill(self) -> None:
        self.server.kill()
        self.alive = False

    @rule()
    def restart(self) -> None:
        self.server.restart(new_history=False)
        self.alive = True

    @precondition(lambda self: self.is_first_history)
    @rule(keep=st.booleans())
    def restore(self, keep: bool) -> None:
        """Restart the API server with lower resource versions, as after an etcd restore.

        Done once per script: if the versions reach the known one again before the next request, no client can notice
        it.
        """
        self.is_first_history = False
        if not keep:
            self.gone |= {obj["metadata"]["uid"] for obj in self.server.objects("Service")}
        self.server.restart(new_history=True, keep=keep)
        self.alive = True

    # Checks

    def teardown(self) -> None:
        try:
            if hasattr(self, "cluster"):
                self.check_cache()
        finally:
            if hasattr(self, "cluster"):
                self.cluster.close()
            self.server.__exit__(None, None, None)
            self.folder.cleanup()

    def check_cache(self) -> None:
        """Clear all faults and wait until the cache equals the API server."""
        self.server.faults.clear()
        for verb in ("list", "watch", "*"):
            self.server.permit(verb, "services")
        if not self.alive:
            self.server.start()
        if not self.lies:
            self.touch()
        for namespace in NAMESPACES:
            self.server.put(service("last", namespace))
        self.replay(wait_for_changes(self.cluster, self.has_seen_the_last))
        expected = {
            (obj["metadata"]["namespace"], obj["metadata"]["name"]): (obj["metadata"]["uid"], obj["spec"]["type"])
            for obj in self.server.objects("Service")
            if not self.namespaces or obj["metadata"]["namespace"] in self.namespaces
        }
        while self.cluster.require(SERVICE).phase is not Phase.SYNCED or self.read_cache() != expected:
            self.replay(wait_for_changes(self.cluster))
        stored = {(obj.metadata.namespace, obj.metadata.name): obj for obj in self.cluster.view.select(SERVICE, "", {})}
        assert stored.keys() == expected.keys()
        assert all(is_unchanged(stored[key.namespace, key.name], obj) for key, obj in self.replayed.items())

    def touch(self) -> None:
        """Change every object. After an empty list was believed, only a change shows an unchanged object again."""
        for obj in self.server.objects("Service"):
            obj["spec"]["sessionAffinity"] = "z"
            self.server.put(obj)

    def has_seen_the_last(self, changes: Sequence[ClusterChange]) -> bool:
        """Return whether *changes* add the last object of each namespace.

        Each watch reports changes in order, so all earlier ones were reported as well.
        """
        added = {change.key for change in changes if isinstance(change, ObjectChange)}
        return added >= {ObjectKey(SERVICE, namespace, "last") for namespace in self.namespaces or NAMESPACES}

    def replay(self, changes: tuple[ClusterChange, ...] | list[ClusterChange]) -> None:
        """Apply *changes* and check that each starts at the object's last known form and changes something."""
        for change in changes:
            if not isinstance(change, ObjectChange):
                continue
            before = self.replayed.pop(change.key, None)
            assert (before is None) is (change.old is None)
            assert before is None or (change.old is not None and is_unchanged(before, change.old))
            if change.new is not None:
                assert change.seen is Sighting.PRESENT
                assert change.old is None or not is_unchanged(change.old, change.new)
                self.replayed[change.key] = change.new
            else:
                assert change.old is not None
                assert change.old.metadata.uid in (self.deleted if change.seen is Sighting.DELETED else self.gone)

    def read_cache(self) -> dict[tuple[str, str], tuple[str, str]]:
        return {
            (key.namespace, key.name): (obj.metadata.uid, getattr(obj, "spec").type)  # noqa: B009 - only Services are here
            for key, obj in self.replayed.items()
        }


TestScripts = Scripts.TestCase
TestScripts.settings = settings(max_examples=40, stateful_step_count=20)
