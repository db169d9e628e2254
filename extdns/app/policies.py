"""Where DNSPolicies are read from: the files of `--policy-rules`, the cluster, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.cluster import connect_api_server, has_live_cluster
from extdns.flags.process import STANDARD_INPUT
from extdns.flags.rules import CLUSTER_POLICIES
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from extdns.config import Config
    from extdns.policies.policy_watcher import PolicyWatcher
    from extdns.ports import Cluster


def build_policy_watcher(config: Config, report_defect: Callable[[Exception], None]) -> PolicyWatcher | None:
    """Build the watcher of the DNSPolicies that `--policy-rules` names; None without that flag."""
    if not config.rules.policy_rules:
        return None
    from extdns.policies.policy_watcher import PolicyWatcher

    return PolicyWatcher(tuple(_build_origins(config)), report_defect=report_defect)


def _build_origins(config: Config) -> Iterator[Cluster]:
    from extdns.kube.manifests.cluster import ManifestCluster

    chosen = config.rules.policy_rules
    paths = tuple(path for path in chosen if path != CLUSTER_POLICIES)
    watch = not config.control.once
    if STANDARD_INPUT in paths:
        raise usage_error("--policy-rules=- is not a file", "allowed: the path of a file or folder, or cluster")
    if paths:
        yield ManifestCluster(paths, watch=watch, flag="policy-rules", requires_files=True)
    if CLUSTER_POLICIES not in chosen:
        return
    if has_live_cluster(config):
        from extdns.kube.live.cluster import LiveCluster

        yield LiveCluster(connect_api_server(config.cluster))
        return
    if STANDARD_INPUT in config.cluster.manifests:
        raise usage_error(
            "--policy-rules=cluster reads --manifests once more, and standard input can be read only once",
            "give files: --manifests=PATH, or --policy-rules=PATH",
        )
    if not config.cluster.manifests:
        raise usage_error(
            "--policy-rules=cluster needs a cluster, but the objects do not come from one",
            "give the path of a file or folder: --policy-rules=PATH",
        )
    yield ManifestCluster(config.cluster.manifests, watch=watch)
