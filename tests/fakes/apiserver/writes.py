"""Creates, updates, patches and deletes, with what a registry of k8s.io/apiserver does around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from tests.fakes.apiserver import ownership, shapes, statuses
from tests.fakes.apiserver.kinds import Kind
from tests.fakes.apiserver.shapes import Target
from tests.fakes.apiserver.statuses import ApiError
from tests.fakes.apiserver.store import Json, Store

Change = Callable[[Json], Json]
"""From an object as it is to how it shall be; may raise ApiError."""


class Writes:
    """The write half of the API; every call is atomic."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbers = count(1)

    def read(self, target: Target) -> Json:
        """Give an object.

        Raises:
            ApiError: 404.
        """
        stored = self._store.collection(target.kind).objects.get(target.key)
        if stored is None:
            raise statuses.not_found(target.kind, target.name)
        return stored.decode(target.kind)

    def create(self, target: Target, body: Json) -> Json:
        """Create *body*, named by itself; its status is dropped where status is a subresource.

        Raises:
            ApiError: 400, 409 or 422.
        """
        obj = shapes.sent(target, body)
        metadata = obj["metadata"]
        if metadata.get("resourceVersion"):
            raise ApiError(500, "resourceVersion should not be set on objects to be created", reason="")
        with self._store.lock:
            if not metadata.get("name") and metadata.get("generateName"):
                metadata["name"] = f"{metadata['generateName']}{next(self._numbers):05x}"
            name = shapes.new_name(target, metadata.get("name"))
            made = Target(kind=target.kind, namespace=target.namespace, name=name, manager=target.manager)
            if made.key in self._store.collection(made.kind).objects:
                leaving = "deletionTimestamp" in self.read(made)["metadata"]
                raise statuses.already_exists(made.kind, name, leaving=leaving)
            for field in ("uid", "creationTimestamp", "deletionTimestamp", "generation", "managedFields"):
                metadata.pop(field, None)
            if target.kind.status:
                obj.pop("status", None)
            obj = ownership.marked(obj, ownership.created(made.by("Update"), obj))
            return self._store_new(made, obj, dry_run=target.dry_run)

    def update(self, target: Target, body: Json) -> Json:
        """Replace an object by *body*.

        Raises:
            ApiError: 400, 404, 409 or 422.
        """
        obj = shapes.named(target, shapes.sent(target, body))
        with self._store.lock:
            if target.kind.upsert and target.key not in self._store.collection(target.kind).objects:
                obj["metadata"].pop("resourceVersion", None)
                return self.create(target, obj)
            uid = self.read(target)["metadata"]["uid"]
            if obj["metadata"].get("uid") not in {None, "", uid}:
                raise statuses.replaced(target.kind, target.name, obj["metadata"]["uid"], uid)
            return self.change(target, lambda _: obj)

    def change(self, target: Target, change: Change) -> Json:
        """Change an object by *change*, made from its latest version.

        Raises:
            ApiError: 404, 409, or what *change* raises.
        """
        with self._store.lock:
            old = self.read(target)
            new = _kept(target, old, change(old))
            managed = ownership.updated(old["metadata"].get("managedFields", []), target.by("Update"), old, new)
            return self._store_changed(target, old, ownership.marked(new, managed))

    def apply(self, target: Target, config: Json, *, force: bool) -> Json:
        """Apply *config* server-side; creates what is not there.

        Raises:
            ApiError: 400, or 409 for a conflict.
        """
        config = shapes.applied(target, config)
        if target.kind.status:
            half = {"status"} if target.subresource else config.keys() - {"status"}
            config = {key: value for key, value in config.items() if key in {"metadata", *half}}
        with self._store.lock:
            manager = target.by("Apply")
            if target.key not in self._store.collection(target.kind).objects:
                if target.subresource:
                    raise statuses.not_found(target.kind, target.name)
                obj = ownership.applied([], manager, {"metadata": {}}, config, force=force)
                return self._store_new(target, obj, dry_run=target.dry_run)
            old = self.read(target)
            managed = old["metadata"].get("managedFields", [])
            new = ownership.applied(managed, manager, old, config, force=force)
            kept = ownership.marked(_kept(target, old, new), new["metadata"].get("managedFields", []))
            return self._store_changed(target, old, kept)

    def delete(self, target: Target, options: Json) -> Json:
        """Delete an object, or mark it if finalizers keep it; gives what is answered.

        Raises:
            ApiError: 404, or 409 if a precondition does not hold.
        """
        with self._store.lock:
            old = self.read(target)
            metadata = old["metadata"]
            for field, asked in (options.get("preconditions") or {}).items():
                if asked != metadata[field]:
                    raise statuses.precondition(target.kind, target.name, field, asked, metadata[field])
            if metadata.get("finalizers"):
                if "deletionTimestamp" not in metadata:
                    marks = {"deletionTimestamp": ownership.now(), "deletionGracePeriodSeconds": 0}
                    grown = {"generation": metadata["generation"] + 1} if "generation" in metadata else {}
                    old = self._store_changed(target, old, old | {"metadata": metadata | marks | grown})
                return old
            if not target.dry_run:
                self._store.remove(target.kind, target.key)
            return statuses.success(target.kind, target.name, metadata["uid"])

    def stamped(self, kind: Kind, obj: Json) -> Json:
        """Fill in what a server writes into metadata, where *obj* does not say it."""
        metadata = obj["metadata"]
        number = next(self._numbers)
        defaults: Json = {"uid": f"00000000-0000-4000-8000-{number:012x}", "creationTimestamp": ownership.now()}
        if kind.generation:
            defaults["generation"] = 1
        return obj | {"metadata": defaults | metadata}

    def _store_new(self, target: Target, obj: Json, *, dry_run: bool) -> Json:
        namespace = {"namespace": target.namespace} if target.kind.namespaced else {}
        full = self.stamped(target.kind, obj | {"metadata": obj["metadata"] | namespace})
        if dry_run:
            return full
        return self._store.put(target.kind, target.key, full).decode(target.kind)

    def _store_changed(self, target: Target, old: Json, new: Json) -> Json:
        """Store *new* unless it says what *old* says; an object that its last finalizer leaves is gone."""
        if new == old or target.dry_run:
            return new
        if "deletionTimestamp" in new["metadata"] and not new["metadata"].get("finalizers"):
            self._store.remove(target.kind, target.key)
            return new
        return self._store.put(target.kind, target.key, new).decode(target.kind)


def _kept(target: Target, old: Json, new: Mapping[str, Any]) -> Json:
    """Give *new* with what no update changes, and with only that half changed which the subresource stands for.

    Raises:
        ApiError: 409, it was made from another version; 422, from none, or for another object.
    """
    kind, before, after = target.kind, old["metadata"], new["metadata"]
    version = after.get("resourceVersion")
    if version in {None, "", "0"} and not kind.unconditional:
        why = "Invalid value: 0: must be specified for an update"
        raise statuses.invalid(kind.resource, target.name, ("metadata.resourceVersion", "FieldValueInvalid", why))
    if version not in {None, "", "0", before["resourceVersion"]}:
        raise statuses.modified(kind, target.name)
    if after.get("uid") not in {None, "", before["uid"]}:
        why = f'Invalid value: "{after["uid"]}": field is immutable'
        raise statuses.invalid(target.validated_as, target.name, ("metadata.uid", "FieldValueInvalid", why))
    if target.subresource:
        rest = {key: value for key, value in old.items() if key != "status"} | {"metadata": dict(before)}
        return rest | {key: new[key] for key in ("status",) if key in new}
    fixed = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "resourceVersion", "generation")
    metadata = {key: value for key, value in shapes.tidied(after).items() if key not in fixed}
    metadata |= {key: before[key] for key in fixed if key in before}
    kept = {**new, "kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
    if kind.status:
        kept.pop("status", None)
        kept |= {"status": old["status"]} if "status" in old else {}
    if "generation" in metadata and _wish(kept) != _wish(old):
        metadata["generation"] += 1
    return kept


def _wish(obj: Mapping[str, Any]) -> Json:
    return {key: value for key, value in obj.items() if key not in {"metadata", "status"}}
