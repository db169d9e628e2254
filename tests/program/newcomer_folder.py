"""The files of a newcomer: a zone file of `shop.example`, a manifest, and the flags that read them."""

from __future__ import annotations

from typing import Final

ZONE: Final = """\
$ORIGIN shop.example.
@     3600 IN SOA ns1.shop.example. hostmaster.shop.example. 1 7200 900 1209600 300
      3600 IN NS  ns1.shop.example.
"""
SERVICE: Final = """\
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: {namespace}
  annotations:
    {key}: "{value}"
    external-dns.alpha.kubernetes.io/ttl: "{ttl}"
spec:
  type: {type}
  clusterIP: 10.0.0.1
status: {{loadBalancer: {{ingress: [{{ip: {address}}}]}}}}
"""
DEFAULTS: Final = {
    "namespace": "shop",
    "key": "external-dns.alpha.kubernetes.io/hostname",
    "value": "web.shop.example",
    "ttl": "300",
    "type": "LoadBalancer",
    "address": "192.0.2.1",
}
RUN: Final = (
    "--source=service",
    "--manifests=manifests",
    "--provider=zonefile",
    "--zonefile-dir=zones",
    "--txt-owner-id=me",
)
AWS: Final = ("--source=service", "--manifests=manifests", "--provider=aws", "--txt-owner-id=me")


def manifest(**changes: str) -> str:
    return SERVICE.format(**(DEFAULTS | changes))


def dedent(expected: str) -> str:
    """Return *expected* without the indentation of the test, and without the lines around it."""
    lines = (line[12:] if line.startswith(" " * 12) else line.removeprefix("    ") for line in expected.splitlines())
    return "\n".join(lines).strip("\n") + "\n"
