"""The chart in a real cluster, as users install it: the program gets nothing but the token of its ServiceAccount."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import Cluster, Json
from tests.kubernetes.kubelet import adapt_arguments
from tests.route53 import environ
from tests.slow.chart.tools import NAMESPACE, Helm, arguments, of

OWNER: Final = "me"
HOOK: Final = "helm.sh/hook"
"""The annotation of an object that `helm test` creates."""


class Release:
    """An installation of the chart in the namespace `dns`.

    Attributes:
        manifests: what the chart renders to.
        token_file: the token of the ServiceAccount, which a kubelet would write.
    """

    def __init__(self, cluster: Cluster, helm: Helm, folder: Path, values: Mapping[str, Any]) -> None:
        self.cluster = cluster
        rendered = helm.manifests({"txtOwnerId": OWNER, **values})
        self.manifests = [one for one in rendered if HOOK not in one["metadata"].get("annotations", {})]
        self.token_file = folder / "token"
        self._kubeconfig = cluster.kubeconfig(folder / "kubeconfig", token_file=self.token_file, namespace=NAMESPACE)
        self.apply()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Delete everything that the chart created, and the state that the program saved."""
        self.cluster.kubectl("delete", "--ignore-not-found", "-f", "-", stdin=build_list(self.manifests))
        self.cluster.kubectl("-n", NAMESPACE, "delete", "--ignore-not-found", "configmap/extdns-state")

    def apply(self) -> None:
        """Apply the manifests, and write a new token of the ServiceAccount."""
        self.cluster.create_namespace(NAMESPACE)
        self.cluster.kubectl("apply", "--server-side", "-f", "-", stdin=build_list(self.manifests))
        self.renew_token()

    def renew_token(self, **spec: object) -> None:
        """Write a new token of the ServiceAccount, as a kubelet does. *spec* is that of the TokenRequest."""
        self._write_token(self.cluster.create_token(NAMESPACE, self._account, **spec))

    def write_short_token(self, *, until_s: float) -> None:
        self._write_token(self.cluster.sign_token(NAMESPACE, self._account, until_s=until_s))

    def _write_token(self, token: str) -> None:
        self.token_file.write_text(token, encoding="utf-8")

    @property
    def _account(self) -> str:
        (account,) = of("ServiceAccount", self.manifests)
        return str(account["metadata"]["name"])

    def flags(self, *more: str) -> list[str]:
        """Return the arguments of the program in its Deployment, with addresses of this machine, and *more*."""
        return [*adapt_arguments(arguments(self.manifests), self._kubeconfig), *more]

    @staticmethod
    def environ(dns: Route53) -> dict[str, str]:
        """Return the environment of the program, which publishes to *dns*."""
        return {**environ(dns), "POD_NAMESPACE": NAMESPACE}


def build_list(objects: Iterable[Json]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


def own(name: str, address: str, resource: str) -> Sequence[Json]:
    """Return the record *name* of an earlier run, which was made for *resource*, and its ownership record."""
    text = f'"heritage=external-dns,external-dns/owner={OWNER},external-dns/resource={resource}"'
    return (
        {"Name": name, "Type": "A", "TTL": 300, "ResourceRecords": [address]},
        {"Name": f"a-{name}", "Type": "TXT", "TTL": 300, "ResourceRecords": [text]},
    )
