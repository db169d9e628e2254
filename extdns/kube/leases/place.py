"""The Lease on the API server, read and written whole, so that what others keep in it stays."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from extdns.errors import ApiError, NotFoundError
from extdns.kube.events.body import micro
from extdns.kube.leases.election import Term
from extdns.kube.paths import collection_path, object_path
from extdns.model.cluster import Kind, ObjectKey

if TYPE_CHECKING:
    from extdns.kube.api import Api

LEASE: Final = Kind("coordination.k8s.io", "v1", "Lease", "leases")


class LeasePlace:
    """One Lease, for one thread. Everything raises `ApiError`."""

    def __init__(self, api: Api, namespace: str, name: str) -> None:
        """Ask *api*. Raises `ValueError` if no Lease can be there."""
        self._api = api
        self._name = name
        self._namespace = namespace
        self._all = collection_path(LEASE, namespace)
        self._one = object_path(ObjectKey(LEASE, namespace, name))
        self._document: dict[str, Any] = {}

    def __str__(self) -> str:
        """Name it for people."""
        return f"Lease {self._namespace}/{self._name}"

    def read(self) -> Term | None:
        """GET it; None if there is none."""
        try:
            return self._keep(self._api.get(self._one))
        except NotFoundError as exc:
            if exc.name != self._name:
                raise
            return None

    def write(self, *, holder: str, over: str, duration_s: float, now: datetime) -> Term:
        """Let *holder* hold it.

        Args:
            holder: "" gives it up.
            over: its version, which must be the one that was read last; "" creates it.
            duration_s: how long it is *holder*'s from now on.
            now: what its times say; nobody reckons with them.

        Raises:
            ConflictError: it is of another version, or was created meanwhile.
        """
        before = self._document if over else self._empty()
        spec = dict(before.get("spec") or {})
        if holder not in {"", spec.get("holderIdentity")}:
            spec |= {"acquireTime": micro(now), "leaseTransitions": int(spec.get("leaseTransitions") or 0) + 1}
        spec |= {"holderIdentity": holder, "leaseDurationSeconds": math.ceil(duration_s), "renewTime": micro(now)}
        method, path = ("PUT", self._one) if over else ("POST", self._all)
        return self._keep(self._api.send(method, path, body=msgspec.json.encode(before | {"spec": spec})))

    def close(self) -> None:
        """Cut what is under way."""
        self._api.close()

    def _empty(self) -> dict[str, Any]:
        metadata = {"name": self._name, "namespace": self._namespace}
        return {"apiVersion": LEASE.api_version, "kind": LEASE.name, "metadata": metadata}

    def _keep(self, body: bytes) -> Term:
        try:
            document: dict[str, Any] = msgspec.json.decode(body, type=dict[str, Any])
            spec = document.get("spec") or {}
            term = Term(
                holder=str(spec.get("holderIdentity") or ""),
                duration_s=float(spec.get("leaseDurationSeconds") or 0),
                version=str(document["metadata"]["resourceVersion"]),
            )
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, LookupError, TypeError, ValueError) as exc:
            raise ApiError(f"{self}: the answer is no Lease") from exc
        self._document = document
        return term
