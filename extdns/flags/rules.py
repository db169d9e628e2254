"""Flags of the rules about who may publish what."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import Flag
from extdns.flags.kind import make_text_kind

CLUSTER_POLICIES: Final = "cluster"
"""The value of `--policy-rules` for the DNSPolicy objects of the cluster, or of `--manifests`."""

RULE_FLAGS: Final = (
    Flag(
        name="policy-rules",
        kind=make_text_kind("PATH"),
        default=(),
        repeatable=True,
        help="file or folder of DNSPolicies, the rules about who may publish what; the value cluster means the "
        "DNSPolicy objects of the cluster, or of --manifests",
    ),
)
