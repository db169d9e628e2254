"""Where objects are read from: the files of `--manifests`, or a live cluster."""

from __future__ import annotations

import os
import re
from contextlib import closing, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from extdns import log
from extdns.app.source_specs import find_namespaces, reads_cluster
from extdns.errors import ApiError, DeniedError, UsageError, sanitize
from extdns.flags.kubernetes_names import NAMESPACE
from extdns.flags.sources import map_kinds_to_sources
from extdns.flags.usage_errors import usage_error
from extdns.kube.local_store import WatchedNamespaces
from extdns.log import Event
from extdns.metrics.durations import REQUEST_TIMES
from extdns.model.origin import UNKNOWN_ORIGIN, Origin, read_origin
from extdns.ports import NotSyncedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from extdns.config import Config
    from extdns.flags.process import ClusterFlags
    from extdns.kube.api import ApiClient
    from extdns.model.api_request import ApiRequest
    from extdns.model.kind import Kind, KubernetesObject, ObjectKey
    from extdns.ports import Cluster


_log = log.get(__name__)


def has_live_cluster(config: Config) -> bool:
    """Return whether objects are read from an API server."""
    return not config.cluster.manifests and reads_cluster(config)


def describe_objects(config: Config) -> str:
    """Describe where objects are read from: `cluster https://192.0.2.1:6443`, `files shop.yaml`, or ""."""
    chosen = config.cluster
    if chosen.manifests:
        return f"files {', '.join(chosen.manifests)}"
    if not has_live_cluster(config):
        return ""
    try:
        return f"cluster {connect_api_server(chosen).server}"
    except UsageError:  # the kubeconfig could be read at the start, and has been removed since then
        return "a cluster"


class ClusterSnapshot(NamedTuple):
    """The objects of a cluster that complete manifests: *path* is what `extdns snapshot` wrote.

    *former* are the paths of former manifests: what they have and the manifests no longer have is not in the cluster.
    """

    path: str
    former: tuple[str, ...] = ()


def build_cluster(
    config: Config,
    kinds: Collection[Kind],
    generated: Mapping[Kind, Sequence[KubernetesObject]],
    snapshot: ClusterSnapshot | None = None,
) -> Cluster:
    """Build the cluster of `--manifests`; without that flag a live one, or an empty one if no source needs a cluster.

    If there are templates, objects of *kinds* are decoded in full. The cluster returns the objects *generated* by the
    sources `empty` and `fake` beside its own. *snapshot* completes the manifests.
    """
    found = _build_manifest_or_live_cluster(config, find_full_kinds(config, kinds), snapshot)
    if generated:
        from extdns.kube.synthetic_objects import ClusterWithSyntheticObjects

        found = ClusterWithSyntheticObjects(found, generated)
    if config.sources.resolve_service_load_balancer_hostname:
        from extdns.kube.resolver import ClusterWithHosts, HostResolver, build_system_resolver, ignore_failures

        resolve = build_system_resolver()
        found = ClusterWithHosts(found, HostResolver(ignore_failures(resolve) if config.control.compat else resolve))
    return found


def find_full_kinds(config: Config, kinds: Collection[Kind]) -> Collection[Kind]:
    """Return which of *kinds*, those that sources read, are decoded in full: all if there are templates."""
    from extdns.resources.kinds import STRUCTS

    templated = config.sources.fqdn_template or config.sources.fqdn_target_template
    return kinds if templated else [kind for kind in kinds if kind not in STRUCTS]


def _build_manifest_or_live_cluster(
    config: Config, full_kinds: Collection[Kind], snapshot: ClusterSnapshot | None
) -> Cluster:
    chosen, namespaces = config.cluster, build_namespaces(config)
    if not has_live_cluster(config):
        from extdns.kube.manifests.cluster import ManifestCluster

        open_files = partial(ManifestCluster, namespaces=namespaces, full_kinds=full_kinds)
        watch = bool(chosen.manifests) and not config.control.once
        manifests = open_files(
            chosen.manifests,
            watch=watch,
            cluster_id=chosen.cluster_id,
            map_sources=partial(map_kinds_to_sources, config.sources),
        )
        if snapshot is None:
            return manifests
        from extdns.kube.completed_manifests import CompletedManifests

        behind = open_files([snapshot.path], watch=False, flag="cluster-snapshot")
        former = open_files(snapshot.former, watch=False) if snapshot.former else None
        return CompletedManifests(manifests, behind, former)
    from extdns.kube.live.cluster import LiveCluster

    return LiveCluster(
        connect_api_server(chosen),
        namespaces=namespaces,
        full_kinds=full_kinds,
        keep_managers=bool(config.log.audit_log) or config.control.dry_run,
        cluster_id=chosen.cluster_id,
    )


def list_completed(cluster: Cluster) -> tuple[ObjectKey, ...]:
    """Return the objects of manifests whose status is that of a cluster snapshot, sorted."""
    return tuple(sorted(getattr(cluster, "completed", ())))


def find_origin(cluster: Cluster, key: ObjectKey) -> Origin:
    """Return what set the object at *key*, of a kind that sources read; from any thread."""
    with suppress(NotSyncedError):
        if found := cluster.view.get(*key):
            return read_origin(found.metadata)
    return UNKNOWN_ORIGIN


def build_namespaces(config: Config) -> WatchedNamespaces:
    """Return the namespaces in which each kind is read."""
    usual = config.cluster.namespace
    return WatchedNamespaces(default=(usual,) if usual else (), by_kind=find_namespaces(config))


def find_requested_kinds(config: Config, texts: Iterable[str]) -> tuple[Kind, ...]:
    """Return the kinds of the resources *texts*, in the order given, each once. A live cluster is queried for them."""
    from extdns.kube.unstructured_resources import discover_kind, guess_kind, parse_resource

    resources = [parse_resource(text) for text in dict.fromkeys(texts)]
    if not has_live_cluster(config):
        from extdns.kube.manifests.definitions import find_kind

        paths = config.cluster.manifests
        return tuple(find_kind(resource, paths) or guess_kind(resource) for resource in resources)
    try:
        with closing(connect_api_server(config.cluster)) as api:
            return tuple(discover_kind(resource, api) for resource in resources)
    except ApiError as exc:
        raise UsageError(
            f"--unstructured-resource cannot be looked up: {exc}\n  the API server must respond at the start"
        ) from exc


_SERVICE_ACCOUNT_NAMESPACE: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_DEFAULT_NAMESPACE: Final = "default"
_REACHABLE_S: Final = 3.0


def connect_api_server(chosen: ClusterFlags) -> ApiClient:
    """Return a client of the API server."""
    from extdns.kube.api import ApiClient
    from extdns.kube.cluster_access import ClusterAccess

    access = ClusterAccess(
        server=chosen.server,
        kubeconfig=chosen.kubeconfig,
        request_timeout_s=chosen.time_limit_s,
        observe_request=_observe_request,
    )
    return ApiClient(access)


def _observe_request(request: ApiRequest) -> None:
    """Measure a request to the API server, and log it without its query."""
    REQUEST_TIMES.record(request)
    path, seconds = urlsplit(request.url).path, round(request.seconds, 3)
    _log.debug(Event.API_REQUEST, method=request.method, path=path, status=request.status, seconds=seconds)


def require_api_server(config: Config) -> None:
    """Check that the API server answers, within at most three seconds; do nothing without a live cluster."""
    if not has_live_cluster(config):
        return
    limit_s = min(config.cluster.time_limit_s or _REACHABLE_S, _REACHABLE_S)
    flags = config.cluster.replace(kube_api_request_timeout_s=limit_s, request_timeout_s=limit_s)
    try:
        with closing(connect_api_server(flags)) as api:
            api.get("/version")
    except DeniedError as exc:
        if exc.code != HTTPStatus.FORBIDDEN:  # a missing permission is that of one request
            raise UsageError(f"{exc}\n  renew the credentials, or give another --kubeconfig") from exc
    except ApiError as exc:
        if not exc.code:  # every response shows that it answers
            raise UsageError(
                f"the API server does not answer: {exc}\n  check --kubeconfig, --server, and the network"
            ) from exc


def find_own_namespace(
    kubeconfig_namespace: str, *, environ: Mapping[str, str] = os.environ, account: Path | None = None
) -> str:
    """Return the namespace of this process: $POD_NAMESPACE, that of its service account or kubeconfig, or `default`."""
    found = (
        environ.get("POD_NAMESPACE", "")
        or _read_text(account or _SERVICE_ACCOUNT_NAMESPACE)
        or kubeconfig_namespace
        or _DEFAULT_NAMESPACE
    )
    if not re.fullmatch(NAMESPACE.pattern, found):
        raise usage_error(
            f"the namespace of this process, {sanitize(found)!r}, is not a namespace",
            "it is $POD_NAMESPACE, or else that of the service account or of the kubeconfig",
        )
    return found


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
