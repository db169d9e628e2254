"""Create, update, patch, apply and delete objects of the fake API server, with the rules of k8s.io/apiserver."""

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
"""Returns the new version of an object, or raises `ApiError`."""


class Writes:
    """The write operations of the fake API server. Each method is atomic."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbers = count(1)

    def read(self, target: Target) -> Json:
        stored = self._store.collection(target.kind).objects.get(target.key)
        if stored is None:
            raise statuses.not_found(target.kind, target.name)
        return stored.decode(target.kind)

    def create(self, target: Target, body: Json) -> Json:
        """Create *body*. Its status is dropped if the kind has a status subresource."""
        obj = shapes.validate_body(target, body)
        metadata = obj["metadata"]
        if metadata.get("resourceVersion"):
            raise ApiError(500, "resourceVersion should not be set on objects to be created", reason="")
        with self._store.lock:
            name = shapes.validate_new_name(target, metadata.get("name"))
            made = Target(kind=target.kind, namespace=target.namespace, name=name, manager=target.manager)
            if made.key in self._store.collection(made.kind).objects:
                leaving = "deletionTimestamp" in self.read(made)["metadata"]
                raise statuses.already_exists(made.kind, name, leaving=leaving)
            for field in ("uid", "creationTimestamp", "deletionTimestamp", "generation", "managedFields"):
                metadata.pop(field, None)
            if target.kind.status:
                obj.pop("status", None)
            obj = ownership.set_managed_fields(obj, ownership.own_created(made.build_manager("Update"), obj))
            return self._store_new(made, obj)

    def update(self, target: Target, body: Json) -> Json:
        obj = shapes.check_name(target, shapes.validate_body(target, body))
        with self._store.lock:
            if target.kind.upsert and target.key not in self._store.collection(target.kind).objects:
                obj["metadata"].pop("resourceVersion", None)
                return self.create(target, obj)
            uid = self.read(target)["metadata"]["uid"]
            if obj["metadata"].get("uid") not in {None, "", uid}:
                raise statuses.replaced(target.kind, target.name, obj["metadata"]["uid"], uid)
            return self.change(target, lambda _: obj)

    def change(self, target: Target, change: Change) -> Json:
        """Replace an object by what *change* returns for its latest version."""
        with self._store.lock:
            old = self.read(target)
            new = _keep_unchangeable(target, old, change(old))
            managed = ownership.own_updated(
                old["metadata"].get("managedFields", []), target.build_manager("Update"), old, new
            )
            return self._store_changed(target, old, ownership.set_managed_fields(new, managed))

    def apply(self, target: Target, config: Json, *, force: bool) -> Json:
        """Apply *config* server-side. A missing object is created."""
        config = shapes.validate_config(target, config)
        if target.kind.status:
            half = {"status"} if target.subresource else config.keys() - {"status"}
            config = {key: value for key, value in config.items() if key in {"metadata", *half}}
        with self._store.lock:
            manager = target.build_manager("Apply")
            if target.key not in self._store.collection(target.kind).objects:
                if target.subresource:
                    raise statuses.not_found(target.kind, target.name)
                obj = ownership.apply_config([], manager, {"metadata": {}}, config, force=force)
                return self._store_new(target, obj)
            old = self.read(target)
            managed = old["metadata"].get("managedFields", [])
            new = ownership.apply_config(managed, manager, old, config, force=force)
            merged = ownership.set_managed_fields(
                _keep_unchangeable(target, old, new), new["metadata"].get("managedFields", [])
            )
            return self._store_changed(target, old, merged)

    def delete(self, target: Target) -> Json:
        """Delete an object, or only set its deletionTimestamp if it has finalizers. Return the response body."""
        with self._store.lock:
            old = self.read(target)
            metadata = old["metadata"]
            if metadata.get("finalizers"):
                if "deletionTimestamp" not in metadata:
                    deletion = {"deletionTimestamp": ownership.format_now(), "deletionGracePeriodSeconds": 0}
                    grown = {"generation": metadata["generation"] + 1} if "generation" in metadata else {}
                    old = self._store_changed(target, old, old | {"metadata": metadata | deletion | grown})
                return old
            self._store.remove(target.kind, target.key)
            return statuses.success(target.kind, target.name, metadata["uid"])

    def set_server_metadata(self, kind: Kind, obj: Json) -> Json:
        """Return *obj* with the metadata that a server sets, such as uid and creationTimestamp, unless it has them."""
        metadata = obj["metadata"]
        number = next(self._numbers)
        defaults: Json = {"uid": f"00000000-0000-4000-8000-{number:012x}", "creationTimestamp": ownership.format_now()}
        if kind.generation:
            defaults["generation"] = 1
        return obj | {"metadata": defaults | metadata}

    def _store_new(self, target: Target, obj: Json) -> Json:
        namespace = {"namespace": target.namespace} if target.kind.namespaced else {}
        full = self.set_server_metadata(target.kind, obj | {"metadata": obj["metadata"] | namespace})
        return self._store.put(target.kind, target.key, full).decode(target.kind)

    def _store_changed(self, target: Target, old: Json, new: Json) -> Json:
        """Store *new* if it differs from *old*. Remove the object if its last finalizer was removed."""
        if new == old:
            return new
        if "deletionTimestamp" in new["metadata"] and not new["metadata"].get("finalizers"):
            self._store.remove(target.kind, target.key)
            return new
        return self._store.put(target.kind, target.key, new).decode(target.kind)


def _keep_unchangeable(target: Target, old: Json, new: Mapping[str, Any]) -> Json:
    """Return *new* with the fields of *old* that this request cannot change, such as the status."""
    kind, before, after = target.kind, old["metadata"], new["metadata"]
    version = after.get("resourceVersion")
    if version in {None, "", "0"} and not kind.unconditional:
        reason = "Invalid value: 0: must be specified for an update"
        raise statuses.invalid(kind.resource, target.name, ("metadata.resourceVersion", "FieldValueInvalid", reason))
    if version not in {None, "", "0", before["resourceVersion"]}:
        raise statuses.modified(kind, target.name)
    if after.get("uid") not in {None, "", before["uid"]}:
        reason = f'Invalid value: "{after["uid"]}": field is immutable'
        raise statuses.invalid(target.validation_name, target.name, ("metadata.uid", "FieldValueInvalid", reason))
    if target.subresource:
        rest = {key: value for key, value in old.items() if key != "status"} | {"metadata": dict(before)}
        return rest | {key: new[key] for key in ("status",) if key in new}
    fixed = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "resourceVersion", "generation")
    metadata = {key: value for key, value in shapes.clean_metadata(after).items() if key not in fixed}
    metadata |= {key: before[key] for key in fixed if key in before}
    merged = {**new, "kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
    if kind.status:
        merged.pop("status", None)
        merged |= {"status": old["status"]} if "status" in old else {}
    if "generation" in metadata and _select_desired(merged) != _select_desired(old):
        metadata["generation"] += 1
    return merged


def _select_desired(obj: Mapping[str, Any]) -> Json:
    return {key: value for key, value in obj.items() if key not in {"metadata", "status"}}
