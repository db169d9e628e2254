"""The way to the API server that `--kubeconfig` and the like name, and our own namespace there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns.app.requesttimes import TIMES
from extdns.kube.api import Api
from extdns.kube.client import Access, Client

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extdns.config import Cluster

_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_DEFAULT: Final = "default"


def api_server(chosen: Cluster) -> tuple[Api, str]:
    """Requests to it, and the namespace of its kubeconfig, "" if that names none.

    Raises:
        UsageError: there is no configuration that can be used.
    """
    limit_s = chosen.time_limit_s
    client = Client(
        Access(server=chosen.server, kubeconfig=chosen.kubeconfig, request_timeout_s=limit_s, heard=TIMES.take)
    )
    return Api(client, request_timeout_s=limit_s), client.namespace


def own_namespace(of_kubeconfig: str, *, environ: Mapping[str, str] = os.environ, account: Path | None = None) -> str:
    """The namespace that this process belongs to: $POD_NAMESPACE, else its account's, else the kubeconfig's."""
    return environ.get("POD_NAMESPACE", "") or _text(account or _ACCOUNT) or of_kubeconfig or _DEFAULT


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
