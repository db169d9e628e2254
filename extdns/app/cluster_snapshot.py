"""Write the objects of a cluster that the flags read as manifests, with their status: a cluster snapshot."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import structs

from extdns.app.cluster import ClusterSnapshot, build_cluster, build_namespaces, find_full_kinds, require_api_server
from extdns.app.source_specs import find_namespaces
from extdns.app.sources import build_sources, list_read_kinds
from extdns.errors import UsageError, escape_unprintable, sanitize
from extdns.flags.process import STANDARD_INPUT
from extdns.flags.usage_errors import usage_error
from extdns.model.cluster import KindState, Phase
from extdns.resources.core import NAMESPACE
from extdns.resources.gateway_api import ListenerSet, Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extdns.config import Config
    from extdns.model.kind import Kind, KubernetesObject


@contextmanager
def open_snapshot(config: Config, path: str | None, *, with_cluster: bool) -> Iterator[ClusterSnapshot | None]:
    """Return the snapshot at *path*, or one that is taken now and removed at the end; None without either."""
    if path is None and not with_cluster:
        yield None
        return
    name = "--with-cluster" if with_cluster else "--cluster-snapshot"
    if with_cluster and path is not None:
        raise usage_error("--with-cluster and --cluster-snapshot are given", "leave out one of them")
    if not config.cluster.manifests:
        raise usage_error(f"{name} completes manifests, and there are none", "give --manifests=PATH, or leave it out")
    if path == STANDARD_INPUT:  # with --base it is read twice
        raise usage_error("--cluster-snapshot=- cannot be standard input", "give a file: --cluster-snapshot=FILE")
    if path is not None:
        _require_contents(path, config)
        yield ClusterSnapshot(path)
        return
    with TemporaryDirectory(prefix="extdns-cluster-") as folder:
        file = Path(folder) / "cluster.json"
        file.write_bytes(take_snapshot(replace(config, cluster=config.cluster.replace(manifests=()))))
        yield ClusterSnapshot(str(file))


class _KindContents(msgspec.Struct, frozen=True, rename="camel"):
    """What a snapshot has of one kind: of which namespaces, () for all, and whether all fields, as templates need."""

    namespaces: tuple[str, ...]
    all_fields: bool


class _Header(msgspec.Struct):
    """What a snapshot contains, by resource, such as `services`."""

    contents: dict[str, _KindContents]


_HEADER: Final = msgspec.json.Decoder(_Header)


def _list_contents(config: Config) -> dict[Kind, _KindContents]:
    kinds = [*list_read_kinds(config), *([NAMESPACE] if config.rules.has_rules else [])]
    namespaces = build_namespaces(config)
    full_kinds = find_full_kinds(config, [source.kind for source in build_sources(config)])
    return {kind: _KindContents(namespaces.list_for_kind(kind), kind in full_kinds) for kind in dict.fromkeys(kinds)}


def _require_contents(path: str, config: Config) -> None:
    """Check that the snapshot at *path* contains what *config* reads, since what it lacks counts as absent."""
    flag = f"--cluster-snapshot={escape_unprintable(path)}"
    try:
        has = _HEADER.decode(Path(path).read_bytes()).contents
    except OSError as exc:
        raise usage_error(f"{flag} cannot be read: {exc.strerror}", _MAKE) from exc
    except (msgspec.DecodeError, ValueError, RecursionError) as exc:
        raise usage_error(f"{flag} is not the output of extdns snapshot", _MAKE) from exc
    for kind, needed in _list_contents(config).items():
        if lack := _describe_lack(kind, needed, has.get(kind.resource), config):
            raise usage_error(f"{flag} was made with other flags: {lack}", _MAKE)


def _describe_lack(kind: Kind, needed: _KindContents, found: _KindContents | None, config: Config) -> str:
    """Describe what *found*, the contents of a snapshot, lacks of *needed*, with the flag that reads it; "" if nothing.

    None is for no object of *kind*.
    """
    readers = (one for one in build_sources(config) if kind in {one.kind, *one.spec.find_lookups(config.sources)})
    reader = next((f"--source={one.name}" for one in readers), "a rule (--policy-rules, --opa-url)")
    if found is None:
        return f"it has no {kind.resource}, which {reader} reads"
    if found.namespaces and not (needed.namespaces and set(needed.namespaces) <= set(found.namespaces)):
        flag = "" if kind in find_namespaces(config) else " (--namespace)"
        where = _describe_namespaces(needed.namespaces)
        return f"it has {kind.resource} of {_describe_namespaces(found.namespaces)}; {reader} reads {where}{flag}"
    if needed.all_fields and not found.all_fields:
        return f"it has {kind.resource} without the fields that templates read (--fqdn-template)"
    return ""


def _describe_namespaces(namespaces: tuple[str, ...]) -> str:
    return f"the namespace {sanitize(', '.join(namespaces))} only" if namespaces else "all namespaces"


_MAKE: Final = "make it with the flags of the plan: extdns snapshot [flags] > cluster.json"
_WAIT_S: Final = 60.0
_SECRETS: Final = ("", "secrets")
_NO_API_FIELDS: Final = (" ", "  ", "resourceVersion")
"""Fields of metadata that a snapshot lacks; see `ObjectMeta`."""


def take_snapshot(config: Config) -> bytes:
    """Return the objects of all kinds that the flags read, as a List in JSON with one object a line, sorted by key.

    Of each object it has the fields that sources read; with templates, all fields but those that only the API server
    uses. Secrets are refused. `contents` says what was read, so that a plan with other flags notices what is missing.
    """
    require_api_server(config)
    contents = _list_contents(config)
    if any((kind.group, kind.plural) == _SECRETS for kind in contents):
        raise usage_error("a snapshot must not hold Secrets", "leave out --unstructured-resource=secrets.v1")
    with closing(build_cluster(config, [source.kind for source in build_sources(config)], {})) as cluster:
        states = {kind: cluster.require(kind) for kind in contents}
        ends_at_s = time.monotonic() + _WAIT_S
        while any(state.phase is Phase.LISTING for state in states.values()):
            cluster.take(max(ends_at_s - time.monotonic(), 0))
            if time.monotonic() >= ends_at_s:
                raise UsageError(f"the cluster did not list its objects within {_WAIT_S:g} s\n  try again")
            states = {kind: cluster.require(kind) for kind in states}
        lines = [_encode(kind, obj) for kind in sorted(states) for obj in _select(cluster, states[kind])]
    header = msgspec.json.encode({kind.resource: one for kind, one in contents.items()}, order="deterministic")
    start = b'{"apiVersion":"v1","kind":"List","contents":' + header + b',"items":[\n'
    return start + b",\n".join(lines) + b"\n]}\n"


def _select(cluster: Any, state: KindState) -> tuple[KubernetesObject, ...]:  # noqa: ANN401 - a `Cluster`
    if state.phase is Phase.NOT_SERVED:
        return ()
    if state.phase is not Phase.SYNCED:
        raise usage_error(f"{state.kind.resource} cannot be listed: {state.detail}", "grant list and watch")
    found: tuple[KubernetesObject, ...] = cluster.view.select(state.kind, "", {})
    return found


def _encode(kind: Kind, obj: KubernetesObject) -> bytes:
    # An empty list says that no controller has accepted the object. Without it, that of a manifest counts as accepted.
    if isinstance(obj, Route):
        obj = structs.replace(obj, status=structs.replace(obj.status, parents=obj.status.parents or ()))
    elif isinstance(obj, ListenerSet):
        obj = structs.replace(obj, status=structs.replace(obj.status, conditions=obj.status.conditions or ()))
    read: dict[str, Any] = msgspec.to_builtins(obj)
    full: dict[str, Any] = msgspec.json.decode(obj.metadata.full_object or b"{}")
    # The full object lacks what templates must not see: the generation and the conditions, which sources read.
    both = {part: read[part] | (full.get(part) or {}) for part in ("metadata", "status") if part in read}
    content = read | full | both
    for field in _NO_API_FIELDS:
        content["metadata"].pop(field, None)
    return msgspec.json.encode({"apiVersion": kind.api_version, "kind": kind.name} | content, order="deterministic")
