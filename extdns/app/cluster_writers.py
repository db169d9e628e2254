"""What extdns writes to the API server: Events, object statuses, and the Lease of the leader election."""

from __future__ import annotations

import socket
import uuid
from functools import partial
from typing import TYPE_CHECKING, Final

from extdns import log
from extdns.app.cluster import connect_api_server, find_own_namespace, has_live_cluster
from extdns.app.state_store import find_state_configmap
from extdns.controller.clock import SystemClock
from extdns.documents.held import format_approve_command
from extdns.flags.process import DEFAULT_TIMEOUT_S
from extdns.flags.rules import CLUSTER_POLICIES
from extdns.flags.usage_errors import usage_error
from extdns.log import Event

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from extdns.config import Config
    from extdns.controller.participant import Participant
    from extdns.controller.write_gate import WriteGate
    from extdns.engine.engine import Engine
    from extdns.kube.leader_election import LeaderElector
    from extdns.model.kind import Kind
    from extdns.policies.policy_watcher import PolicyWatcher
    from extdns.ports import Clock, EventRecorder, Lease


_log = log.get(__name__)

_EVENT_PAUSE_S: Final = 0.05
_TRIES_PER_RENEWAL: Final = 4
"""How many requests may time out between a renewal and the renew deadline."""


def build_event_recorder(config: Config, kinds: Mapping[str, Kind]) -> EventRecorder | None:
    """Build the recorder of Events; None in a dry run, without a live cluster, and if events are off.

    `--compat` without `--events-emit` switches them off. *kinds* has the kinds by the first part of a `resource` label.
    """
    chosen = config.log.events_emit
    if config.control.dry_run or not has_live_cluster(config) or (config.control.compat and not chosen):
        return None
    from extdns.kube.event_recorder import ERROR, KubernetesEventRecorder
    from extdns.kube.event_sender import EventSender

    return KubernetesEventRecorder(
        EventSender(connect_api_server(config.cluster), SystemClock(), pause_s=_EVENT_PAUSE_S),
        owner=config.registry.txt_owner_id,
        kinds=kinds,
        emitted_reasons=chosen,
        emits_problems=not config.control.compat or ERROR in chosen,
        state=find_state_configmap(config),
        approve=partial(format_approve_command, config),
    )


def build_status_updaters(
    config: Config, engine: Engine, policies: PolicyWatcher | None, clock: Clock, gate: WriteGate
) -> Iterator[Participant]:
    """Build what updates the statuses of DNSEndpoints, and those of the DNSPolicies that *policies* reads.

    There is none without a live cluster, and in a dry run.
    """
    if config.control.dry_run or not has_live_cluster(config):
        return
    from extdns.kube.status_writer import KubernetesStatusWriter

    if "crd" in config.sources.names:
        from extdns.controller.status_updater import StatusUpdater
        from extdns.resources.externaldns import DNS_ENDPOINT, build_finalizer

        api, finalizer = connect_api_server(config.cluster), build_finalizer(config.registry.txt_owner_id)
        writer = KubernetesStatusWriter(api, DNS_ENDPOINT, clock, finalizer=finalizer)
        yield StatusUpdater(engine, writer, clock, gate, finalizer_timeout_s=config.deletes.finalizer_timeout_s)
    if policies and CLUSTER_POLICIES in config.rules.policy_rules:
        from extdns.kube.status_conditions import build_policy_status
        from extdns.policies.policy_status_updater import PolicyStatusUpdater
        from extdns.resources.extdns import DNS_POLICY

        api = connect_api_server(config.cluster)
        writer = KubernetesStatusWriter(api, DNS_POLICY, clock, build=build_policy_status)
        yield PolicyStatusUpdater(policies, engine, writer, clock, gate)


def build_lease(config: Config, clock: Clock) -> LeaderElector | None:
    """Build the lease of `--leader-elect`; None without that flag, and in a dry run.

    A single pass (`--once`) takes no part in the election: it must write now, and its writes are conditional.
    """
    chosen = config.election
    if not chosen.leader_elect or config.control.dry_run:
        return None
    if config.control.once:
        _log.warning(
            Event.FLAG_NOTICE,
            notice="--leader-elect has no effect with --once: a single pass writes even if another process leads",
        )
        return None
    if not has_live_cluster(config):
        raise usage_error(
            "--leader-elect needs an API server, but the objects do not come from one", "leave out --leader-elect"
        )
    from extdns.kube.leader_election import LeaderElectionConfig, LeaderElector
    from extdns.kube.lease_store import LeaseStore

    limit_s = min(
        config.cluster.time_limit_s or DEFAULT_TIMEOUT_S, chosen.leader_elect_renew_deadline_s / _TRIES_PER_RENEWAL
    )
    cluster = config.cluster.replace(kube_api_request_timeout_s=limit_s, request_timeout_s=DEFAULT_TIMEOUT_S)
    api = connect_api_server(cluster)
    namespace = chosen.leader_elect_resource_namespace or find_own_namespace(api.namespace)
    store = LeaseStore(api, namespace, chosen.leader_elect_resource_name)
    times = LeaderElectionConfig(
        lease_duration_s=chosen.leader_elect_lease_duration_s,
        renew_deadline_s=chosen.leader_elect_renew_deadline_s,
        retry_period_s=chosen.leader_elect_retry_period_s,
    )
    return LeaderElector(store, f"{socket.gethostname()}_{uuid.uuid4()}", times, clock)


def find_leader(lease: Lease | None) -> str:
    """Return the host name of the process that holds *lease*; "" if nobody does, and without a lease."""
    return lease.describe()["holder"].rpartition("_")[0] if lease else ""
