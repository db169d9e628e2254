"""Flags of the rules about who may publish what."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import URL, make_choice_kind, restrict

CLUSTER_POLICIES: Final = "cluster"
"""The value of `--policy-rules` for the DNSPolicy objects of the cluster, or of `--manifests`."""

FAILURES: Final = ("keep", "allow")
_MAX_TIMEOUT_S: Final = 60.0
TIMEOUT: Final = restrict(
    replace(DURATION, allowed="more than 0s, up to 60s"), lambda seconds: 0 < seconds <= _MAX_TIMEOUT_S
)
_opa = partial(flag, topic="Open Policy Agent")


class RuleFlags(FlagSection, topic="Rules"):
    """Where rules are read from (paths, or `cluster`), and the policy server."""

    policy_rules: tuple[str, ...] = flag(
        "file or folder of DNSPolicies, the rules about who may publish what; the value cluster means the DNSPolicy "
        "objects of the cluster, or of --manifests",
        default=(),
        metavar="PATH",
    )
    opa_url: str = _opa(
        "Open Policy Agent that is asked about every record, as http://127.0.0.1:8181 or unix:///run/opa.sock",
        kind=URL,
        in_plan=False,
    )
    opa_path: str = _opa(
        "rule that denies records, or allow, which allows them; the rules deny, violation and warn of its package, too",
        default="extdns/deny",
        metavar="PATH",
    )
    opa_failure: str = _opa(
        "without a valid answer, keep records as they are, or allow every change: keep or allow",
        default="keep",
        kind=make_choice_kind("an action for a missing answer", *FAILURES, metavar="ACTION"),
    )
    opa_timeout_s: float = _opa("timeout of one query; at most 60s", default=2.0, kind=TIMEOUT, in_plan=False)
    opa_tls_ca: str = _opa("certificates to trust instead of those of the system", metavar="PATH", in_plan=False)
    opa_tls_client_cert: str = _opa("client certificate", metavar="PATH", in_plan=False)
    opa_tls_client_cert_key: str = _opa("key of the client certificate", metavar="PATH", in_plan=False)
    opa_token_file: str = _opa("file with a bearer token, which is read for each query", metavar="PATH", in_plan=False)

    @property
    def has_rules(self) -> bool:
        """Whether rules are evaluated: those of DNSPolicies, or those of a policy server."""
        return bool(self.policy_rules or self.opa_url)
