"""Kinds of Kubernetes objects, what is read of all objects, and references to them (Kubernetes API conventions).

`extdns.resources` has the objects of each kind.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from extdns.model.value import Value


class Kind(NamedTuple):
    """A kind of object that the API server serves.

    Attributes:
        version: the preferred API version, as `v1`.
        older_versions: versions to use if the preferred one is not served, the best one first. The fields that are read
            mean the same in all of them.
        resource_prefix: how ownership records name the kind, "" for its name in lower case; see `label`. If it ends in
            a slash, `resource` labels have an empty namespace, as `things//name` for cluster-scoped kinds.
    """

    group: str
    version: str
    name: str
    plural: str
    namespaced: bool = True
    older_versions: tuple[str, ...] = ()
    resource_prefix: str = ""

    @property
    def api_version(self) -> str:
        """The `apiVersion` of the preferred version: `group/version`, or the version alone for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def api_versions(self) -> tuple[str, ...]:
        """Every `apiVersion` under which objects of the kind are read, the preferred one first."""
        return tuple(form.api_version for form in self.versions)

    @property
    def versions(self) -> tuple[Kind, ...]:
        """The kind once for each version, the preferred one first."""
        return tuple(
            self._replace(version=version, older_versions=()) for version in (self.version, *self.older_versions)
        )

    @property
    def resource(self) -> str:
        """The plural with its group, as `ingresses.networking.k8s.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def label(self) -> str:
        """The first part of `resource` labels, as `service` (docs/spec/sources.md 1.8)."""
        return self.resource_prefix.removesuffix("/") or self.name.lower()


CONFIG_MAP: Final = Kind("", "v1", "ConfigMap", "configmaps")


class ObjectKey(NamedTuple):
    """The kind, namespace ("" if cluster-scoped) and name of an object. Sorts by kind, namespace and name."""

    kind: Kind
    namespace: str
    name: str

    @property
    def resource(self) -> str:
        """The `resource` label of ownership records, as `service/shop/web` or `node/n1` (docs/spec/sources.md 1.8).

        The text is interned, because claims, records and pending writes all hold it.
        """
        kind, namespace, name = self
        path = f"{namespace}/{name}" if kind.namespaced else name
        return sys.intern(f"{kind.resource_prefix or kind.label}/{path}")


class PartialObject(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """Base class of decoded objects and of their parts: frozen, with camel case in JSON and snake case in Python.

    A struct rather than a dataclass: msgspec decodes it directly from JSON and skips all other fields without using
    memory. If a field has the wrong type, only its object cannot be decoded, not the list that contains it. Decoded
    objects cannot contain reference cycles, so the garbage collector does not track them.
    """


class ObjectMeta(PartialObject, frozen=True, kw_only=True):
    """`metadata` of an object. Other fields, such as `managedFields`, are dropped.

    Attributes:
        set_by: the managers that own its hostname annotation, or else its spec, if they are kept; no field of the API.
        full_object: the object as JSON if templates need all of its fields, else b""; not a field of the API.
    """

    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    # names that no field of the API has
    full_object: bytes = msgspec.field(default=b"", name=" ")
    set_by: str = msgspec.field(default="", name="  ")

    @property
    def is_waiting(self) -> bool:
        """Whether the object is deleted, and stays only until its records are gone. For planning, it is gone."""
        return False


class KubernetesObject(PartialObject, frozen=True, kw_only=True):
    """An object of any kind."""

    metadata: ObjectMeta

    @property
    def selectable(self) -> Mapping[str, str]:
        """By what `ClusterView.select` finds the object: its labels."""
        return self.metadata.labels or {}


class InvalidValue(Value, frozen=True):
    """Stands for an invalid value in a document, so that only objects that need the value are rejected.

    Attributes:
        problem: what is wrong. Messages put the path of the value before it.
        allowed: description of valid values.
    """

    problem: str
    allowed: str


class ObjectRef(Value, frozen=True, kw_only=True):
    """One object, as claims and Events name it.

    Attributes:
        uid: "" if the manifest has none.
        created: `creationTimestamp` as RFC 3339 text, "" if unknown. It decides a contest for a name that no namespace
            has yet: the oldest object wins.
    """

    key: ObjectKey
    uid: str = ""
    created: str = ""

    @property
    def age_sort_key(self) -> tuple[bool, str, str, str]:
        """Sort key, oldest first; objects of unknown age come last, ties by namespace and name."""
        return (not self.created, self.created, self.key.namespace, self.key.name)

    def __str__(self) -> str:
        """Return the object as messages name it, such as `Service shop/web`."""
        path = f"{self.key.namespace}/{self.key.name}" if self.key.namespace else self.key.name
        return f"{self.key.kind.name} {path}"


def build_key(kind: Kind, metadata: ObjectMeta) -> ObjectKey:
    """Return the key of an object. As in kubectl, a namespaced object without a namespace is in `default`.

    The namespace is interned, because many objects share it.
    """
    namespace = sys.intern(metadata.namespace or "default") if kind.namespaced else ""
    return ObjectKey(kind, namespace, metadata.name)


def build_ref(kind: Kind, metadata: ObjectMeta) -> ObjectRef:
    """Build the reference to an object, as claims of the object contain it."""
    return ObjectRef(key=build_key(kind, metadata), uid=metadata.uid, created=metadata.creation_timestamp or "")


def parse_namespace(resource: str) -> str:
    """Return the namespace in a resource such as `service/shop/web`, or "" if it has none."""
    _, *path = resource.split("/", 2)
    return path[0] if len(path) > 1 else ""
