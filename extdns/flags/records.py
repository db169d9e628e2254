"""Flags of the records: which names, types and zones are managed, ownership records, and deletes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from extdns.flags.duration import DURATION, NON_NEGATIVE_DURATION
from extdns.flags.flag import ABSENT, Flag, Implemented, Moot
from extdns.flags.kind import BOOLEAN, ValueKind, make_choice_kind, make_number_kind, make_text_kind
from extdns.flags.regex import REGEX
from extdns.flags.unchecked_kinds import AFFIX, DOMAIN, LABEL, OWNER, RECORD_TYPE, ZONE_ID

SCOPE_FLAGS: Final = (
    Flag(
        name="domain-filter",
        kind=DOMAIN,
        default=(),
        repeatable=True,
        help="manage only names in this domain; .example.org leaves out example.org itself",
    ),
    Flag(
        name="exclude-domains",
        kind=DOMAIN,
        default=(),
        repeatable=True,
        help="never manage names in this domain",
    ),
    Flag(
        name="regex-domain-filter",
        kind=REGEX,
        default=None,
        help="manage only names that match (RE2 syntax); replaces --domain-filter and --exclude-domains",
    ),
    Flag(
        name="regex-domain-exclusion",
        kind=REGEX,
        default=None,
        help="never manage names that match (RE2 syntax); replaces --domain-filter and --exclude-domains",
    ),
    Flag(
        name="managed-record-types",
        kind=RECORD_TYPE,
        default=("A", "AAAA", "CNAME"),
        repeatable=True,
        help="record type to manage, in capitals",
    ),
    Flag(
        name="exclude-record-types",
        kind=RECORD_TYPE,
        default=(),
        repeatable=True,
        help="record type not to manage",
    ),
    Flag(
        name="zone-id-filter",
        kind=ZONE_ID,
        default=(),
        repeatable=True,
        providers=("aws", "azure", "azure-dns", "azure-private-dns", "cloudflare", "google", "octodns", "zonefile"),
        help="manage only zones whose id ends with this text; the id of a zone file is its name",
    ),
    Flag(
        name="zone-name-filter",
        kind=make_text_kind("NAME"),
        default=(),
        repeatable=True,
        providers=("azure", "azure-dns", "azure-private-dns"),
        support=ABSENT,
        help="manage only zones with this name",
    ),
)


REGISTRIES: Final = ("aws-sd", "crd", "dynamodb", "noop", "txt")
_TXT: Final = ("dynamodb", "txt")  # dynamodb, too, reads TXT ownership records, when it replaces txt

REGISTRY_FLAGS: Final = (
    Flag(
        name="registry",
        kind=make_choice_kind("a registry", *REGISTRIES),
        default="txt",
        help="how ownership is recorded: txt writes TXT ownership records, noop records nothing",
    ),
    Flag(
        name="txt-owner-id",
        kind=OWNER,
        default="default",
        help="owner id in our ownership records; must differ between processes that share a zone",
    ),
    Flag(
        name="txt-prefix",
        kind=replace(AFFIX, metavar="PREFIX"),
        registries=_TXT,
        help="prefix of the names of ownership records; %{record_type} in it becomes the type; not with --txt-suffix",
    ),
    Flag(
        name="txt-suffix",
        kind=replace(AFFIX, metavar="SUFFIX"),
        registries=_TXT,
        help="suffix of the first label of the names of ownership records; %{record_type} in it becomes the type",
    ),
    Flag(
        name="txt-wildcard-replacement",
        kind=LABEL,
        registries=_TXT,
        help="replaces * in the names of ownership records",
    ),
    Flag(
        name="migrate-from-txt-owner",
        kind=OWNER,
        registries=("txt",),
        help="earlier owner id, whose records are taken over if an object requests them",
    ),
    Flag(
        name="txt-encrypt-enabled",
        kind=BOOLEAN,
        default=False,
        registries=_TXT,
        help="encrypt ownership records",
    ),
    Flag(
        name="txt-encrypt-aes-key",
        kind=make_text_kind("KEY"),
        registries=_TXT,
        secret=True,
        help="key that encrypts ownership records: 32 bytes, or the base64 of 32 bytes",
    ),
    Flag(
        name="txt-encrypt-aes-key-file",
        kind=make_text_kind("PATH"),
        registries=_TXT,
        help="file with the key that encrypts ownership records, instead of --txt-encrypt-aes-key",
    ),
    Flag(
        name="txt-cache-interval",
        kind=DURATION,
        default=0.0,
        registries=_TXT,
        support=Moot(notice="sets the minimum time between two refreshes of a zone", bounds_refresh=True),
        help="how long ownership records that were read are cached",
    ),
    Flag(
        name="dynamodb-region",
        kind=make_text_kind("REGION"),
        registries=("dynamodb",),
        support=ABSENT,
        help="AWS region of the table",
    ),
    Flag(
        name="dynamodb-table",
        kind=make_text_kind("NAME"),
        default="external-dns",
        registries=("dynamodb",),
        support=ABSENT,
        help="table that holds the ownership records",
    ),
    Flag(
        name="crd-registry-namespace",
        kind=make_text_kind("NAME"),
        registries=("crd",),
        support=ABSENT,
        help="namespace of the DNSRecord objects; by default the pod's own",
    ),
)


_CODE: Final = re.compile("[0-9a-f]{4}-[0-9a-f]{4}")


def _parse_code(written: str) -> str:
    if not _CODE.fullmatch(written):
        raise ValueError
    return written


def _suggest_code(written: str) -> str:
    digits = "".join(character for character in written.lower() if character in "0123456789abcdef")
    code = f"{digits[:4]}-{digits[4:]}"
    return code if _CODE.fullmatch(code) else ""


CODE: Final[ValueKind[str]] = ValueKind(
    noun="the code of held deletes",
    metavar="CODE",
    allowed="a code as extdns status shows it, such as 7f3a-91c2",
    parse=_parse_code,
    format=str,
    suggest=_suggest_code,
    pattern=_CODE.pattern,
)
CLUSTER_ID: Final = replace(
    CODE,
    noun="the id of a cluster",
    metavar="ID",
    allowed="the id of the cluster as extdns status shows it, such as 7f3a-91c2",
)
DELETE_FLAGS: Final = (
    Flag(
        name="delete-grace-period",
        kind=NON_NEGATIVE_DURATION,
        default=60.0,
        reference_default=0.0,
        help="grace period: how long the evidence for a delete must last",
    ),
    Flag(
        name="unresolved-timeout",
        kind=NON_NEGATIVE_DURATION,
        default=None,
        reference_default=0.0,
        help="how long a record is retained while its claim is unresolved; no limit when not given",
    ),
    Flag(
        name="max-delete-percent",
        kind=make_number_kind(0, 100),
        default=30,
        reference_default=100,
        help="delete budget of a zone, and of each namespace in it: percentage of our names whose records may be "
        "deleted within ten minutes without approval; 100 is no limit",
    ),
    Flag(
        name="max-delete-count",
        kind=make_number_kind(0),
        default=10,
        help="delete budget of a zone, and of each namespace in it: number of our names whose records may be deleted "
        "within ten minutes without approval, even if that exceeds --max-delete-percent",
    ),
    Flag(
        name="approve",
        kind=CODE,
        default=(),
        repeatable=True,
        support=Implemented(notice="applies at every start; remove it once the deletes are made"),
        help="approve the held deletes with this code",
    ),
    Flag(
        name="accept-cluster",
        kind=CLUSTER_ID,
        default=(),
        repeatable=True,
        help="accept the cluster with this id, if the saved state belongs to another one",
    ),
    Flag(
        name="state-configmap",
        kind=make_text_kind("NAME"),
        default="extdns-state",
        reference_default="",
        help="ConfigMap in which accepted settings, budgets, holds and approvals are saved, in the pod's namespace or, "
        "as NAMESPACE/NAME, in another; empty saves no state",
    ),
    Flag(
        name="state-file",
        kind=make_text_kind("PATH"),
        help="file to save the state in, instead of --state-configmap; with --manifests no state is saved without it",
    ),
)
