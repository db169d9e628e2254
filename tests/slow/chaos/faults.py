"""The faults of a chaos run in calls to the API server and the DNS service, by their names in the script."""

from __future__ import annotations

import time
from threading import Timer
from typing import Any, Final

from tests.fakes.apiserver.faults import Cut, Drop, Empty, Fault, Refuse, Stall
from tests.fakes.apiserver.server import ApiServer
from tests.fakes.apiserver.watches import Order
from tests.slow.chaos.events import Event
from tests.slow.chaos.services import DnsService

LATE_S: Final = 2.0
"""How many seconds a late answer is delayed."""
_SWAPPED: Final = ("Namespace", "Service", "Ingress", "DNSEndpoint", "ConfigMap", "Lease")
_LATE: Final = frozenset({"late", "late-worked"})


def build_identity(uid: str) -> dict[str, Any]:
    """Return the namespace whose uid identifies a cluster."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": uid}}


class Network:
    """Arms faults, and later sends the answers that they delay."""

    def __init__(self, server: ApiServer, service: DnsService) -> None:
        self._server = server
        self._service = service
        self.count = 0

    def handle(self, event: Event) -> None:
        self.count += 1
        side, _, verb = event.verb.partition("-")
        match side:
            case "kube":
                self._fail_kube(verb, event.about, int(event.detail[0]))
            case "dns":
                armed = self._service.fail(verb, event.about, int(event.detail[0]))
                if verb in _LATE:
                    _release_later(armed.release)
            case "cut":
                self._server.end_watches(Order.CUT)
            case "expire":
                self._server.expire()
                self._server.end_watches(Order.EXPIRE)
            case "other":
                self._visit_other_cluster()
            case "fail":
                self._server.faults.arm(Refuse(code=500), resource="configmaps", times=None)
            case "recover":
                self._server.faults.clear()
                self._service.recover()
            case _:
                raise AssertionError(event)

    def _visit_other_cluster(self) -> None:
        """Let an empty cluster answer at the address of ours for some seconds; events that are due then are late."""
        ours = [found for kind in _SWAPPED for found in self._server.objects(kind)]
        for found in ours:
            del found["metadata"]["resourceVersion"]
        self._server.swap([build_identity("there")])
        time.sleep(LATE_S)
        self._server.swap(ours)

    def _fail_kube(self, verb: str, resource: str, times: int) -> None:
        if verb == "empty-list":
            self._server.faults.arm(Empty(), verb="list", resource=resource, times=1)
            self._server.end_watches(Order.EXPIRE)
            return
        faults: dict[str, Fault] = {
            "error": Refuse(code=500),
            "busy": Refuse(code=429, retry_after_s=1),
            "drop": Drop(),
            "cut": Cut(),
            "late": Stall(),
        }
        armed = self._server.faults.arm(faults[verb], resource=resource, times=times)
        if verb == "late":
            _release_later(armed.release)


def _release_later(release: object) -> None:
    assert callable(release)
    timer = Timer(LATE_S, release)
    timer.daemon = True
    timer.start()
