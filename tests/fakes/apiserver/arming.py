"""Choose which requests of the fake API server fail, and how."""

from __future__ import annotations

from tests.fakes.apiserver.faults import Fault
from tests.fakes.service.faults import Armed, Arming


class Faults(Arming[Fault]):
    """The armed faults of the API server."""

    def __init__(self) -> None:
        super().__init__(Fault())

    def arm(
        self,
        fault: Fault,
        *,
        verb: str | None = None,
        resource: str | None = None,
        namespace: str | None = None,
        times: int | None = 1,
    ) -> Armed[Fault]:
        """Let *fault* affect the next *times* requests with these attributes; None is any.

        *resource* "" matches discovery and the like.
        """
        return self._arm(fault, times, verb=verb, resource=resource, namespace=namespace)
