"""Write the objects of a cluster that the flags read as manifests, with their status: a cluster snapshot."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import msgspec

from extdns.app.cluster import ClusterSnapshot, build_cluster, require_api_server
from extdns.app.sources import build_sources, list_read_kinds
from extdns.errors import UsageError
from extdns.flags.process import STANDARD_INPUT
from extdns.flags.usage_errors import usage_error
from extdns.model.cluster import KindState, Phase
from extdns.resources.core import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extdns.config import Config
    from extdns.model.kind import Kind, KubernetesObject


@contextmanager
def open_snapshot(config: Config, path: str | None, *, with_cluster: bool) -> Iterator[ClusterSnapshot | None]:
    """Return the snapshot at *path*, or one that is taken now and removed at the end; None without either.

    Raises:
        UsageError: both are asked for, there are no manifests to complete, or the cluster cannot be read.
    """
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
        yield ClusterSnapshot(path)
        return
    with TemporaryDirectory(prefix="extdns-cluster-") as folder:
        file = Path(folder) / "cluster.json"
        file.write_bytes(take_snapshot(replace(config, cluster=config.cluster.replace(manifests=()))))
        yield ClusterSnapshot(str(file))


_WAIT_S: Final = 60.0
_SECRETS: Final = ("", "secrets")
_FULL_OBJECT: Final = " "
"""The field of metadata that holds all fields; see `ObjectMeta`."""


def take_snapshot(config: Config) -> bytes:
    """Return the objects of all kinds that the flags read, as a List in JSON with one object a line, sorted by key.

    Of each object it has the fields that sources read; with templates, all fields but those that only the API server
    uses. Secrets are refused.

    Raises:
        UsageError: the API server does not answer, a kind cannot be listed, or the flags read Secrets.
    """
    require_api_server(config)
    kinds = [*list_read_kinds(config), *([NAMESPACE] if config.rules.has_rules else [])]
    if any((kind.group, kind.plural) == _SECRETS for kind in kinds):
        raise usage_error("a snapshot must not hold Secrets", "leave out --unstructured-resource=secrets.v1")
    cluster = build_cluster(config, [source.kind for source in build_sources(config)], {})
    try:
        states = {kind: cluster.require(kind) for kind in dict.fromkeys(kinds)}
        ends_at_s = time.monotonic() + _WAIT_S
        while any(state.phase is Phase.LISTING for state in states.values()):
            cluster.take(max(ends_at_s - time.monotonic(), 0))
            if time.monotonic() >= ends_at_s:
                raise UsageError(f"the cluster did not list its objects within {_WAIT_S:g} s\n  try again")
            states = {kind: cluster.require(kind) for kind in states}
        lines = [_encode(kind, obj) for kind in sorted(states) for obj in _select(cluster, states[kind])]
    finally:
        cluster.close()
    return b'{"apiVersion":"v1","kind":"List","items":[\n' + b",\n".join(lines) + b"\n]}\n"


def _select(cluster: Any, state: KindState) -> tuple[KubernetesObject, ...]:  # noqa: ANN401 - a `Cluster`
    if state.phase is Phase.NOT_SERVED:
        return ()
    if state.phase is not Phase.SYNCED:
        raise usage_error(f"{state.kind.resource} cannot be listed: {state.detail}", "grant list and watch")
    found: tuple[KubernetesObject, ...] = cluster.view.select(state.kind, "", {})
    return found


def _encode(kind: Kind, obj: KubernetesObject) -> bytes:
    read: dict[str, Any] = msgspec.to_builtins(obj)
    full: dict[str, Any] = msgspec.json.decode(obj.metadata.full_object or b"{}")
    # The full object lacks what templates must not see: the generation and the conditions, which sources read.
    both = {part: read[part] | full.get(part, {}) for part in ("metadata", "status") if part in read}
    content = read | full | both
    for field in (_FULL_OBJECT, "resourceVersion"):
        content["metadata"].pop(field, None)
    return msgspec.json.encode({"apiVersion": kind.api_version, "kind": kind.name} | content, order="deterministic")
