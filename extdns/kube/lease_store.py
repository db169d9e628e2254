"""Read and write the Lease of the leader election."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec

from extdns.errors import ApiError, sanitize
from extdns.kube.api import ApiClient
from extdns.kube.api_protocol import build_collection_path, build_object_path
from extdns.kube.event_sender import format_micro_time
from extdns.kube.live.existence import read_existing
from extdns.model.kind import Kind, ObjectKey


class LeaderElectionRecord(NamedTuple):
    """The content of a Lease.

    Attributes:
        holder: identity of the process that holds it, "" if it was released.
        duration_s: how long it is valid after a renewal; 0 if the Lease does not say.
    """

    holder: str
    duration_s: float
    version: str


_DOCUMENTS: Final = msgspec.json.Decoder(dict[str, Any])
LEASE_KIND: Final = Kind("coordination.k8s.io", "v1", "Lease", "leases")


class LeaseStore:
    """Reads and writes one Lease, on one thread. `read` and `write` raise `ApiError`."""

    def __init__(self, api: ApiClient, namespace: str, name: str) -> None:
        """Read and write the Lease *name* in *namespace* through *api*, which only this store uses.

        Raises:
            ValueError: *namespace* or *name* is not valid.
        """
        self._api = api
        self._key = ObjectKey(LEASE_KIND, namespace, name)
        self._collection_path = build_collection_path(LEASE_KIND, namespace)
        self._path = build_object_path(self._key)
        self._document: dict[str, Any] = {}

    def __str__(self) -> str:
        return f"Lease {self._key.namespace}/{self._key.name}"

    def read(self) -> LeaderElectionRecord | None:
        """Read the Lease; None if it does not exist."""
        body = read_existing(self._api, self._key)
        return None if body is None else self._decode(body)

    def write(self, *, holder: str, expected_version: str, duration_s: float, now: datetime) -> LeaderElectionRecord:
        """Write the Lease with *holder* as its holder, "" to release it, valid for *duration_s*.

        *expected_version* is the version that was read last; "" creates the Lease. Only people read *now*.

        Raises:
            ConflictError: the Lease has another version, or was created meanwhile.
        """
        before = self._document if expected_version else self._build_lease()
        spec = dict(before.get("spec") or {})
        if holder not in {"", spec.get("holderIdentity")}:
            spec |= {
                "acquireTime": format_micro_time(now),
                "leaseTransitions": int(spec.get("leaseTransitions") or 0) + 1,
            }
        spec |= {
            "holderIdentity": holder,
            "leaseDurationSeconds": math.ceil(duration_s),
            "renewTime": format_micro_time(now),
        }
        body = msgspec.json.encode(before | {"spec": spec})
        method, path = ("PUT", self._path) if expected_version else ("POST", self._collection_path)
        return self._decode(self._api.send(method, path, body=body))

    def close(self) -> None:
        """Cut open requests."""
        self._api.close()

    def _build_lease(self) -> dict[str, Any]:
        metadata = {"name": self._key.name, "namespace": self._key.namespace}
        return {"apiVersion": LEASE_KIND.api_version, "kind": LEASE_KIND.name, "metadata": metadata}

    def _decode(self, body: bytes) -> LeaderElectionRecord:
        try:
            document: dict[str, Any] = _DOCUMENTS.decode(body)
            if document["kind"] != LEASE_KIND.name:
                raise ApiError(
                    f"{self}: the response is {sanitize(str(document['kind']))}; expected: {LEASE_KIND.name}"
                )
            spec = document.get("spec") or {}
            record = LeaderElectionRecord(
                holder=str(spec.get("holderIdentity") or ""),
                duration_s=float(spec.get("leaseDurationSeconds") or 0),
                version=str(document["metadata"]["resourceVersion"]),
            )
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, LookupError, TypeError, ValueError) as exc:
            raise ApiError(f"{self}: the response is not a Lease") from exc
        self._document = document
        return record
