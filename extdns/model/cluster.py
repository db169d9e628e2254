"""Changes of objects, the state of their lists, and the identity of the cluster."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Final

import msgspec

from extdns.model.kind import Kind, KubernetesObject, ObjectKey
from extdns.model.value import Value


class Phase(StrEnum):
    """The state of the list and watch of one kind."""

    LISTING = "listing"
    SYNCED = "synced"
    FAILING = "failing"
    FORBIDDEN = "forbidden"
    UNAUTHORIZED = "unauthorized"
    NOT_SERVED = "not-served"


class KindState(Value, frozen=True, kw_only=True):
    """The phase of one kind, with what a person needs to fix it.

    Attributes:
        since_s: monotonic seconds at which the phase began.
        detail: the error behind a phase that is not `SYNCED`, else "".
        objects: the number of known objects; 0 if nothing counts them.
    """

    kind: Kind
    phase: Phase
    since_s: float = 0.0
    detail: str = ""
    objects: int = 0


class Sighting(StrEnum):
    """How a change of an object was observed. Evidence for deletes depends on it (docs/design/delete-safety.md)."""

    PRESENT = "present"  # added, modified, or in a list
    DELETED = "deleted"  # a DELETED event
    MISSING = "missing"  # a complete list lacks it; it may have been deleted


class ObjectChange(Value, frozen=True, kw_only=True):
    """An object changed from *old* to *new*, which is None if it is gone; `seen` states how that was observed.

    `file` is the file from which *new* was first read, "" if it was read from an API server.
    """

    key: ObjectKey
    old: KubernetesObject | None
    new: KubernetesObject | None
    seen: Sighting = Sighting.PRESENT
    file: str = ""


class KindChange(Value, frozen=True, kw_only=True):
    """The phase of a kind changed. A change to `SYNCED` comes after the changes of all objects in the list."""

    state: KindState


class ObjectProblem(Value, frozen=True, kw_only=True):
    """An object cannot be read, or can be again. Meanwhile its last valid version stays in use.

    Attributes:
        location: where it is, as `shop.yaml:12` or `Service shop/web`.
        key: the object, None if it cannot be determined.
        message: what is wrong and what is allowed; "" once it can be read again.
        what: `manifest` or `object`, for messages.
        is_ignored: whether it is a document that cannot be a Kubernetes object, so that no object is missing.
    """

    location: str
    key: ObjectKey | None
    message: str
    what: str = "object"
    is_ignored: bool = False


class IdentityRead(Value, frozen=True, kw_only=True):
    """The identity of the cluster was read. The changes up to the next `IdentityRead` come from this cluster."""

    identity: ClusterIdentity


ClusterChange = ObjectChange | KindChange | ObjectProblem | IdentityRead


COMMON_ISSUERS: Final = frozenset(
    {
        "https://kubernetes.default.svc",
        "https://kubernetes.default.svc.cluster.local",
        "kubernetes.default.svc",
        "kubernetes/serviceaccount",
    }
)
"""Token issuers that most self-managed clusters have in common: they identify none of them."""


class ClusterIdentity(Value, frozen=True, kw_only=True):
    """The identity of a cluster, as far as it is known. Each part is "" while it is unknown.

    Attributes:
        uid: the uid of the namespace `kube-system`.
        issuer: the issuer of the pod's token.
        authority: a digest of the certificate authority of the API server.
        configured_id: the value of `--cluster-id`.
    """

    uid: str = ""
    issuer: str = ""
    authority: str = ""
    configured_id: str = msgspec.field(default="", name="given")  # the name in the saved state

    @property
    def parts(self) -> tuple[str, str, str, str]:
        """What clusters are compared by: uid, issuer ("" if many clusters share it), authority and configured id."""
        issuer = "" if self.issuer.rstrip("/") in COMMON_ISSUERS else self.issuer
        return self.uid, issuer, self.authority, self.configured_id

    @property
    def id(self) -> str:
        """The id of the cluster, as `7f3a-91c2`, with which a person accepts it; "" if no part is known."""
        text = hashlib.blake2b(repr(self.parts).encode(), digest_size=4).hexdigest()
        return f"{text[:4]}-{text[4:]}" if self.is_known else ""

    def update(self, newer: ClusterIdentity) -> ClusterIdentity:
        """Return *newer*, with its unknown parts filled in from this one."""
        return ClusterIdentity(
            uid=newer.uid or self.uid,
            issuer=newer.issuer or self.issuer,
            authority=newer.authority or self.authority,
            configured_id=newer.configured_id or self.configured_id,
        )

    @property
    def is_known(self) -> bool:
        """Whether any field is known and can be compared."""
        return any(self.parts)

    def differs_from(self, other: ClusterIdentity) -> bool:
        """Return whether a field that is known in both identities differs."""
        return any(mine and theirs and mine != theirs for mine, theirs in zip(self.parts, other.parts, strict=True))
