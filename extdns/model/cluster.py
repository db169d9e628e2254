"""What the cluster tells: kinds, references to objects, and changes of them (Kubernetes API conventions)."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from extdns.model.value import Value

if TYPE_CHECKING:
    from extdns.model.objects import KubernetesObject


class Kind(NamedTuple):
    """A kind of object the API server serves.

    Attributes:
        version: the one we prefer.
        older: versions that say the same of the fields we read, the best one first.
        mark: how marks name the kind, "" for its name in small letters; see `label`. A slash at its end
            is that of an empty namespace, which marks state for kinds that `--unstructured-resource` adds.
    """

    group: str
    version: str
    name: str
    plural: str
    namespaced: bool = True
    older: tuple[str, ...] = ()
    mark: str = ""

    @property
    def api_version(self) -> str:
        """`group/version`, or the version alone for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def api_versions(self) -> tuple[str, ...]:
        """Every `apiVersion` under which its objects are read, the preferred one first."""
        return tuple(form.api_version for form in self.forms)

    @property
    def forms(self) -> tuple[Kind, ...]:
        """The kind as each single version has it, the preferred one first."""
        return tuple(self._replace(version=version, older=()) for version in (self.version, *self.older))

    @property
    def resource(self) -> str:
        """The plural with its group, as `ingresses.networking.k8s.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def label(self) -> str:
        """The first part of `resource` labels, as `service` (spec sources 1.8)."""
        return self.mark.removesuffix("/") or self.name.lower()


class ObjectKey(NamedTuple):
    """Where an object lives; namespace "" for cluster-scoped kinds. Sorts by namespace, then name."""

    kind: Kind
    namespace: str
    name: str

    @property
    def resource(self) -> str:
        """The `resource` label of ownership marks, as `service/shop/web` or `node/n1` (spec sources 1.8).

        One text, however often it is asked for: claims, records and what was written hold it.
        """
        kind, namespace, name = self
        place = f"{namespace}/{name}" if kind.namespaced else name
        return sys.intern(f"{kind.mark or kind.label}/{place}")


class ObjectRef(Value, frozen=True, kw_only=True):
    """One object, as claims and Events name it.

    Attributes:
        uid: "" where the manifest has none.
        created: RFC 3339 text of `creationTimestamp`, "" where unknown; decides who was first.
    """

    key: ObjectKey
    uid: str = ""
    created: str = ""

    @property
    def seniority(self) -> tuple[bool, str, str, str]:
        """Sort key, oldest first; objects of unknown age come last, ties by namespace and name."""
        return (not self.created, self.created, self.key.namespace, self.key.name)

    def __str__(self) -> str:
        """`Service shop/web`, as messages name it."""
        place = f"{self.key.namespace}/{self.key.name}" if self.key.namespace else self.key.name
        return f"{self.key.kind.name} {place}"


class Phase(StrEnum):
    """How far the list and watch of one kind has come."""

    LISTING = "listing"
    SYNCED = "synced"
    FAILING = "failing"
    FORBIDDEN = "forbidden"
    NOT_SERVED = "not-served"


class KindState(Value, frozen=True, kw_only=True):
    """The state of one kind, with what a person needs to mend it.

    Attributes:
        since_s: monotonic seconds at which the phase began.
        detail: the error behind a phase that is not `SYNCED`, else "".
    """

    kind: Kind
    phase: Phase
    since_s: float = 0.0
    detail: str = ""


class Sight(StrEnum):
    """How a change of an object was seen; the evidence of deletes rests on it (design 6)."""

    PRESENT = "present"  # added, modified, or in a list
    DELETED = "deleted"  # a DELETED event
    MISSING = "missing"  # a complete list lacks it; it may have been deleted


class ObjectChange(Value, frozen=True, kw_only=True):
    """One object became *new*; None when it is gone (`seen` says how we know)."""

    key: ObjectKey
    old: KubernetesObject | None
    new: KubernetesObject | None
    seen: Sight = Sight.PRESENT


class KindChange(Value, frozen=True, kw_only=True):
    """A kind came to another phase; `SYNCED` follows the changes of a complete list."""

    state: KindState


class ObjectProblem(Value, frozen=True, kw_only=True):
    """Something that should be an object cannot be read; its last good version counts.

    Attributes:
        place: where to look, as `shop.yaml:12` or `Service shop/web`.
        key: which object, None if even that cannot be told.
        message: what is wrong and what is allowed; "" once the place is in order again.
    """

    place: str
    key: ObjectKey | None
    message: str


ClusterChange = ObjectChange | KindChange | ObjectProblem
