"""The Lease that one of several processes holds (`--leader-elect`)."""

from __future__ import annotations

import socket
import uuid
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns import log
from extdns.app.clusters import is_live
from extdns.errors import shown
from extdns.flags.cluster import DEFAULT_TIMEOUT_S
from extdns.flags.mistakes import mistake
from extdns.log import Event

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.ports import Clock, Lease

_log = log.get(__name__)

_TRIES: Final = 4
"""So many requests that are not answered fit between a renewal and its deadline."""


def lease(config: Config, clock: Clock) -> Lease | None:
    """What lets one process write at a time; None where nothing is written, or whatever others do.

    A single pass does not stand for election: whoever asks for one wants it now, and what it writes is
    conditional.

    Raises:
        UsageError: there is no API server that keeps Leases, or none can have that name.
    """
    chosen = config.election
    if not chosen.leader_elect or config.control.dry_run:
        return None
    if config.control.once:
        _log.warning(
            Event.FLAG_MOOT, notice="--leader-elect has no effect on a single pass, which writes whoever leads"
        )
        return None
    if not is_live(config):
        raise mistake("--leader-elect needs an API server, and objects come from none", "leave out --leader-elect")
    from extdns.app.apiservers import api_server, own_namespace
    from extdns.kube.leases.election import Rules
    from extdns.kube.leases.elector import Elector
    from extdns.kube.leases.place import LeasePlace

    limit_s = min(config.cluster.time_limit_s or DEFAULT_TIMEOUT_S, chosen.leader_elect_renew_deadline_s / _TRIES)
    quick = replace(config.cluster, kube_api_request_timeout_s=limit_s, request_timeout_s=DEFAULT_TIMEOUT_S)
    api, of_kubeconfig = api_server(quick)
    namespace, name = chosen.leader_elect_resource_namespace, chosen.leader_elect_resource_name
    try:
        place = LeasePlace(api, namespace or own_namespace(of_kubeconfig), name)
    except ValueError as exc:
        named = f"{namespace}/{name}" if namespace else name
        raise mistake(
            f"--leader-elect-resource-name: no Lease can be called {shown(named)}",
            "allowed: small letters, digits, - and .",
        ) from exc
    rules = Rules(
        duration_s=chosen.leader_elect_lease_duration_s,
        deadline_s=chosen.leader_elect_renew_deadline_s,
        retry_s=chosen.leader_elect_retry_period_s,
    )
    return Elector(place, f"{socket.gethostname()}_{uuid.uuid4()}", rules, clock)
