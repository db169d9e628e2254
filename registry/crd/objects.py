"""Read and write rows as DNSRecords, with the names and contents that external-dns gives them (docs/spec/plan.md 3.5).

A DNSRecord whose condition Ready is false says that external-dns could not write the record: it proves nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from extdns.errors import (
    ApiError,
    ConflictError,
    DeniedError,
    ForbiddenError,
    NotFoundError,
    ProviderError,
    RefusedError,
    RetryableError,
    UsageError,
    sanitize,
)
from extdns.model.record import OWNER, DesiredRecord, RecordKey
from extdns.model.value import StringMap
from registry.registry_spec import ObjectsApi
from registry.rows.row import Row, RowChange, RowsChangedError, parse_name

Object = dict[str, Any]

OWNER_LABEL: Final = "externaldns.k8s.io/owner"
_API_VERSION: Final = "externaldns.k8s.io/v1alpha1"
_LABEL_VALUE: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_UNNAMEABLE: Final = re.compile(r"[^a-z0-9]+")
_MAX_NAME_LENGTH: Final = 253
_PAGE: Final = "500"
_DIGEST_LENGTH: Final = 8  # hexadecimal digits, as external-dns takes
_FULL_LENGTH: Final = 64
_FEW: Final = 30
"""Up to how many objects are read one by one."""
_MAX_BYTES: Final = 1 << 18  # etcd takes 1.5 MiB, and the API server stores some characters as six
_REFUSALS: Final = {400, 413, 422}  # bad request, too large, invalid


def build_object_name(key: RecordKey, digits: int = _DIGEST_LENGTH) -> str:
    """Return the name of the DNSRecord about the record *key*, with *digits* of a digest of the key."""
    digest = hashlib.sha256(f"{key.name}/{key.type}/{key.set_identifier}".encode()).hexdigest()[:digits]
    base = _UNNAMEABLE.sub("-", key.name.lower()).strip("-")[: _MAX_NAME_LENGTH - len(digest) - 1].strip("-")
    return f"{base or 'record'}-{digest}"


class OwnershipObjects:
    """The DNSRecords of a namespace."""

    def __init__(
        self, api: ObjectsApi, namespace: str, owner: str, can_write: Callable[[], bool], now: Callable[[], datetime]
    ) -> None:
        """Use the DNSRecords in *namespace*.

        Raises:
            UsageError: *owner* cannot be the value of a label.
        """
        if not _LABEL_VALUE.fullmatch(owner):
            raise UsageError(
                f"--txt-owner-id={sanitize(owner)} cannot be used with --registry=crd: it is the value of a label\n"
                "  allowed: up to 63 letters, digits, -, _ and ., with a letter or digit at both ends"
            )
        self.max_changes = 1
        self.name = f"DNSRecords in namespace {namespace}"
        self._api = api
        self._namespace = namespace
        self._path = f"/apis/{_API_VERSION}/namespaces/{namespace}/dnsrecords"
        self._can_write = can_write
        self._now = now
        self._holders: dict[str, RecordKey] = {}  # by the name of an object, the record that it is about

    def build_id(self, key: RecordKey) -> str:
        """Return the name of the object about the record *key*, with more digits if another record has the usual name.

        A tenant can choose records whose usual names equal those of others.
        """
        name = build_object_name(key)
        return name if self._holders.get(name, key) == key else build_object_name(key, _FULL_LENGTH)

    def read_all(self) -> Iterable[Row]:
        """Return all rows."""
        found: list[Object] = []
        query = {"limit": _PAGE}
        while True:
            page = self._send("GET", self._path, query)
            found += page["items"]
            after = page["metadata"].get("continue")
            if not after:
                rows = [row for one in found if (row := _parse_object(one))]
                self._holders = {row.id: row.key for row in rows}
                return rows
            query = {"limit": _PAGE, "continue": after}

    def read(self, ids: Collection[str]) -> Iterable[Row]:
        """Return the rows *ids*."""
        if len(ids) > _FEW:
            wanted = set(ids)
            return [row for row in self.read_all() if row.id in wanted]
        objects = map(self._find, ids)
        return [row for one in objects if one and (row := _parse_object(one))]

    def write(self, changes: Sequence[RowChange]) -> None:
        """Make the only one of *changes*.

        Raises:
            RowsChangedError: the row is not as its change allows.
        """
        (change,) = changes
        try:
            self._write(change)
        except _ChangedError:
            row = next((row for row in self.read([change.row.id]) if row.key == change.key), None)
            raise RowsChangedError(self.name, {change.key: row}) from None

    def _write(self, change: RowChange) -> None:
        """Make *change*.

        Raises:
            _ChangedError: somebody else has changed the object.
        """
        name = change.row.id
        found = self._find(name)
        row = _parse_object(found) if found else None
        self._holders[name] = row.key if row else change.key
        if row not in change.allowed:
            raise _ChangedError
        if change.new is None:
            if found and row:
                options = {"preconditions": {"resourceVersion": found["metadata"]["resourceVersion"]}}
                self._send(
                    "DELETE", f"{self._path}/{name}", body={"kind": "DeleteOptions", "apiVersion": "v1", **options}
                )
            return
        made = _build_object(found or {}, name, self._namespace, change.new, change.record)
        if found is None:
            self._send("POST", self._path, body=made)
        elif made != found:
            self._send("PUT", f"{self._path}/{name}", body=made)
        if not _is_ready(found or {}):
            self._send(
                "PATCH", f"{self._path}/{name}/status", body={"status": {"conditions": [_build_condition(self._now())]}}
            )

    def _find(self, name: str) -> Object | None:
        with suppress(_AbsentError):
            return self._send("GET", f"{self._path}/{name}")
        return None

    def _send(self, method: str, path: str, query: dict[str, str] | None = None, body: Object | None = None) -> Object:
        if method != "GET" and not self._can_write():
            raise RetryableError(f"{method} {path}: this process is not the leader")
        content_type = "application/merge-patch+json" if method == "PATCH" else "application/json"
        sent = json.dumps(body).encode() if body is not None else None
        if sent and len(sent) > _MAX_BYTES:
            raise RefusedError(f"{method} {path}: the object has {len(sent)} bytes; allowed: at most {_MAX_BYTES}")
        try:
            answer: Object = json.loads(self._api.send(method, path, query, sent, content_type))
        except NotFoundError as exc:
            if path == self._path:
                raise RetryableError(f"{exc}; is the CustomResourceDefinition of DNSRecords installed?") from exc
            raise _AbsentError(str(exc)) from exc
        except ConflictError as exc:
            raise _ChangedError(str(exc)) from exc
        except DeniedError as exc:
            raise ForbiddenError(f"{self.name}: {exc}") from exc
        except ApiError as exc:
            if exc.code in _REFUSALS:
                raise RefusedError(f"{self.name}: {exc}") from exc
            raise RetryableError(f"{self.name}: {exc}", retry_after_s=exc.retry_after_s) from exc
        except ValueError as exc:
            raise RetryableError(f"{method} {path}: the response is not JSON") from exc
        return answer


class _AbsentError(ProviderError):
    """There is no such object."""


class _ChangedError(ProviderError):
    """The object is not as it was when it was read."""


def _find_value(found: Object, *path: str) -> Any:  # noqa: ANN401 - any JSON
    value: Any = found
    for key in path:
        fields: Object = value or {}
        value = fields.get(key)
    return value


def _parse_object(found: Object) -> Row | None:
    """Return the row of a DNSRecord; None if it proves nothing, or is about no record that extdns can manage."""
    name = parse_name(str(_find_value(found, "spec", "endpoint", "dnsName") or ""))
    owner = _find_value(found, "metadata", "labels", OWNER_LABEL)
    if name is None or not owner or _is_ready(found) is False:
        return None
    rtype, identifier = (
        str(_find_value(found, "spec", "endpoint", field) or "") for field in ("recordType", "setIdentifier")
    )
    labels: dict[str, str] = _find_value(found, "spec", "endpoint", "labels") or {}
    return Row(
        id=found["metadata"]["name"],
        key=RecordKey(name, identifier, rtype),
        owner=owner,
        labels=StringMap.from_items((key, value) for key, value in labels.items() if key != OWNER),
    )


def _is_ready(found: Object) -> bool | None:
    """Return whether a DNSRecord is ready, None if its status does not say."""
    conditions: list[Object] = _find_value(found, "status", "conditions") or []
    return next((one.get("status") == "True" for one in conditions if one.get("type") == "Ready"), None)


def _build_object(found: Object, name: str, namespace: str, row: Row, record: DesiredRecord | None) -> Object:
    """Return the DNSRecord *found*, {} for a new one, with the labels of *row* and the data of *record*."""
    metadata: Object = found.get("metadata") or {"name": name, "namespace": namespace}
    labels: Object = metadata.get("labels") or {}
    shown: Object = _describe(record) if record else _find_value(found, "spec", "endpoint") or {}
    key = row.key
    stated: Object = {
        "dnsName": str(key.name),
        "recordType": key.type,
        "labels": dict(row.labels.set(OWNER, row.owner)),
    }
    if key.set_identifier:
        stated["setIdentifier"] = key.set_identifier
    return {
        **found,
        "apiVersion": _API_VERSION,
        "kind": "DNSRecord",
        "metadata": {**metadata, "labels": {**labels, OWNER_LABEL: row.owner}},
        "spec": {"endpoint": {**shown, **stated}},
    }


def _describe(record: DesiredRecord) -> Object:
    properties = [{"name": key, "value": value} for key, value in record.properties]
    return {
        "targets": list(record.targets),
        **({"recordTTL": record.ttl_s} if record.has_ttl else {}),
        **({"providerSpecific": properties} if properties else {}),
    }


def _build_condition(now: datetime) -> Object:
    return {
        "type": "Ready",
        "status": "True",
        "reason": "Programmed",
        "message": "the record is published by extdns",
        "lastTransitionTime": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
