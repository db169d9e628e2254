"""Whether the values fit together (spec plan 8.4): the first that does not is told.

What one value must be by itself is its kind's affair. Where the reference has a message, its words
are the first line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from extdns.flags.control import POLICIES
from extdns.flags.duration import DURATION
from extdns.flags.election import WRITE_S
from extdns.flags.mistakes import mistake, not_of_kind
from extdns.flags.service import SERVICE_TYPE
from extdns.flags.support import AVAILABLE

Values = Mapping[str, Any]


def validate(values: Values) -> None:
    """Check the value of every flag, by name, in the order of spec plan 8.4; ours come last.

    Raises:
        UsageError: the first thing that is wrong.
    """
    _check_required(values)
    _check_azure(values)
    _check_rfc2136(values)
    _check_combinations(values)
    _check_ours(values)


def _check_required(values: Values) -> None:
    if not values["source"]:
        raise mistake(
            "no sources specified", f"give --source; available in this version: {', '.join(AVAILABLE['source'])}"
        )
    if not values["provider"]:
        raise mistake(
            "no provider specified", f"give --provider; available in this version: {', '.join(AVAILABLE['provider'])}"
        )
    if not values["policy"]:
        raise mistake(
            f"--policy must be set explicitly (one of: {', '.join(POLICIES)})", "--compat does without our default"
        )


def _check_azure(values: Values) -> None:
    if values["provider"] == "azure" and not values["azure-config-file"]:
        raise mistake("no Azure config file specified", "give --azure-config-file=PATH")


def _check_rfc2136(values: Values) -> None:
    if values["provider"] != "rfc2136":
        return
    if values["rfc2136-min-ttl"] < 0:
        raise mistake("TTL specified for rfc2136 is negative", "allowed for --rfc2136-min-ttl: 0s and more")
    if values["rfc2136-insecure"] and values["rfc2136-gss-tsig"]:
        raise mistake("--rfc2136-insecure and --rfc2136-gss-tsig are mutually exclusive arguments")
    kerberos = tuple(f"rfc2136-kerberos-{part}" for part in ("realm", "username", "password"))
    if values["rfc2136-gss-tsig"] and not all(values[name] for name in kerberos):
        raise mistake(f"--rfc2136-gss-tsig requires {', '.join(f'--{name}' for name in kerberos)}")
    if values["rfc2136-batch-change-size"] < 1:
        raise mistake(
            "batch size specified for rfc2136 cannot be less than 1",
            "allowed for --rfc2136-batch-change-size: 1 and more",
        )


def _check_combinations(values: Values) -> None:
    if values["ignore-hostname-annotation"] and not values["fqdn-template"]:
        raise mistake("FQDN Template must be set if ignoring annotations", "give --fqdn-template")
    if values["txt-prefix"] and values["txt-suffix"]:
        raise mistake("txt-prefix and txt-suffix are mutual exclusive", "leave out --txt-prefix or --txt-suffix")
    if values["create-ptr"] and "PTR" not in values["managed-record-types"]:
        raise mistake("--create-ptr requires PTR in --managed-record-types", "add --managed-record-types=PTR")


def _check_ours(values: Values) -> None:
    if values["provider"] == "zonefile" and not values["zonefile-dir"]:
        raise mistake("--provider=zonefile has no folder for its files", "give --zonefile-dir=DIR")
    for name in ("delete-grace-period", "stale-hold"):
        if (values[name] or 0.0) < 0.0:
            raise mistake(f"--{name} is negative", f"allowed for --{name}: 0s and more")
    if values["leader-elect"]:
        _check_election(values)
    types = values["service-type-filter"]
    if "service" in values["source"] and "" not in types:  # an empty one switches the filter off (spec sources 3.1)
        for wrong in (one for one in types if one not in SERVICE_TYPE.choices):
            raise not_of_kind(SERVICE_TYPE, "--service-type-filter", wrong)


def _check_election(values: Values) -> None:
    """What keeps two processes apart in the end is that writes are conditional, and ended before a Lease is."""
    for name, meant in (("compat", "--compat"), ("aws-conditional-writes", "--no-aws-conditional-writes")):
        unsafe = values[name] if name == "compat" else values["provider"] == "aws" and not values[name]
        if unsafe:
            raise mistake(
                f"--leader-elect and {meant} do not go together: only conditional writes keep two processes apart",
                "leave out one of them",
            )
    duration_s, deadline_s, retry_s = (
        values[f"leader-elect-{name}"] for name in ("lease-duration", "renew-deadline", "retry-period")
    )
    if retry_s <= 0.0:
        raise mistake("--leader-elect-retry-period is not positive", "allowed: more than 0s")
    if deadline_s <= retry_s:
        raise mistake(
            "--leader-elect-renew-deadline leaves no time to renew",
            f"allowed: more than --leader-elect-retry-period, which is {DURATION.write(retry_s)}",
        )
    if duration_s < deadline_s + WRITE_S:
        raise mistake(
            "--leader-elect-lease-duration may end while a last write is under way",
            f"allowed: {DURATION.write(deadline_s + WRITE_S)} and more, 12s longer than --leader-elect-renew-deadline",
        )
