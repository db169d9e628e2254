"""Flags of the records: which names, types and zones are managed, ownership records, and deletes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Final

from extdns.flags.duration import NON_NEGATIVE_DURATION
from extdns.flags.flag import FlagSection, flag
from extdns.flags.kind import make_number_kind, make_text_kind, restrict
from extdns.flags.kubernetes_names import OWN_NAMESPACE
from extdns.flags.regex import REGEX, Regex
from extdns.flags.specs import REGISTRY_SPECS
from extdns.flags.unchecked_kinds import AFFIX, DOMAIN, LABEL, OWNER, RECORD_TYPE, ZONE_ID
from extdns.model.selection import DomainFilter, parse_suffixes


class PlanFlags(FlagSection, topic="Names, types and zones"):
    """Which names and types are managed. With a regex, the two lists of domains have no effect."""

    domain_filter: tuple[str, ...] = flag(
        "manage only names in this domain; .example.org leaves out example.org itself", default=(), kind=DOMAIN
    )
    exclude_domains: tuple[str, ...] = flag("never manage names in this domain", default=(), kind=DOMAIN)
    regex_domain_filter: Regex | None = flag(
        "manage only names that match (RE2 syntax); replaces --domain-filter and --exclude-domains",
        default=None,
        kind=REGEX,
    )
    regex_domain_exclusion: Regex | None = flag(
        "never manage names that match (RE2 syntax); replaces --domain-filter and --exclude-domains",
        default=None,
        kind=REGEX,
    )
    managed_record_types: tuple[str, ...] = flag(
        "record type to manage, in capitals", default=("A", "AAAA", "CNAME"), kind=RECORD_TYPE
    )
    exclude_record_types: tuple[str, ...] = flag("record type not to manage", default=(), kind=RECORD_TYPE)
    zone_id_filter: tuple[str, ...] = flag(
        "manage only zones whose id ends with this text; the id of a zone file is its name",
        default=(),
        kind=ZONE_ID,
        providers=("aws", "azure", "azure-dns", "azure-private-dns", "cloudflare", "google", "octodns", "zonefile"),
    )

    def build_domain_filter(self) -> DomainFilter:
        """Return the filter of the four domain flags."""
        return DomainFilter(
            include=parse_suffixes(self.domain_filter),
            exclude=parse_suffixes(self.exclude_domains),
            include_pattern=self.regex_domain_filter,
            exclude_pattern=self.regex_domain_exclusion,
        )

    def find_managed_types(self) -> frozenset[str]:
        """Return the record types that are managed."""
        return frozenset(self.managed_record_types) - frozenset(self.exclude_record_types)


_txt = partial(
    flag, registries=("crd", "dynamodb", "txt")
)  # the others read TXT ownership records when they replace txt


class RegistryFlags(FlagSection, topic="Registry"):
    """How ownership records are written. An empty text means that the feature is off."""

    name: str = flag(
        "how ownership is recorded: txt writes TXT ownership records, dynamodb rows of a table, crd DNSRecords, noop "
        "nothing; aws-sd is the registry of --provider=aws-sd",
        default="txt",
        kind=REGISTRY_SPECS.make_kind("a registry"),
        name="registry",
    )
    txt_owner_id: str = flag(
        "owner id in our ownership records; must differ between processes that share a zone",
        default="default",
        kind=OWNER,
    )
    txt_prefix: str = _txt(
        "prefix of the names of ownership records; %{record_type} in it becomes the type; not with --txt-suffix",
        kind=AFFIX,
        metavar="PREFIX",
    )
    txt_suffix: str = _txt(
        "suffix of the first label of the names of ownership records; %{record_type} in it becomes the type",
        kind=AFFIX,
        metavar="SUFFIX",
    )
    txt_wildcard_replacement: str = _txt("replaces * in the names of ownership records", kind=LABEL)
    migrate_from_txt_owner: str = flag(
        "earlier owner id, whose records are taken over if an object requests them", kind=OWNER, registries=("txt",)
    )
    txt_encrypt_enabled: bool = _txt("encrypt ownership records", default=False)
    txt_encrypt_aes_key: tuple[str, ...] = _txt(
        "key of encrypted ownership records: 32 bytes, or the base64 of 32 bytes; the first encrypts, all decrypt",
        default=(),
        metavar="KEY",
        secret=True,
    )
    txt_encrypt_aes_key_file: str = _txt(
        "file with the keys of encrypted ownership records, one a line, instead of --txt-encrypt-aes-key",
        metavar="PATH",
    )
    dynamodb_table: str = flag(
        "table that holds the ownership of records", default="external-dns", metavar="NAME", registries=("dynamodb",)
    )
    dynamodb_region: str = flag(
        "AWS region of the table; by default that of the environment", metavar="REGION", registries=("dynamodb",)
    )
    crd_registry_namespace: str = flag(
        "namespace of the DNSRecords; by default the pod's own", kind=OWN_NAMESPACE, registries=("crd",)
    )


_CODE: Final = re.compile("[0-9a-f]{4}-[0-9a-f]{4}")


def _suggest_code(written: str) -> str:
    digits = "".join(character for character in written.lower() if character in "0123456789abcdef")
    code = f"{digits[:4]}-{digits[4:]}"
    return code if _CODE.fullmatch(code) else ""


CODE: Final = restrict(
    replace(
        make_text_kind("CODE"),
        noun="the code of held deletes",
        allowed="a code as extdns status shows it, such as 7f3a-91c2",
        suggest=_suggest_code,
        pattern=_CODE.pattern,
    ),
    _CODE.fullmatch,
)
CLUSTER_ID: Final = replace(
    CODE,
    noun="the id of a cluster",
    metavar="ID",
    allowed="the id of the cluster as extdns status shows it, such as 7f3a-91c2",
)


class DeleteFlags(FlagSection, topic="Deletes"):
    """When a delete may be made. *unresolved_timeout_s* is None if unresolved claims keep records for ever."""

    delete_grace_period_s: float = flag(
        "grace period: how long the evidence for a delete must last",
        default=60.0,
        compat=0.0,
        kind=NON_NEGATIVE_DURATION,
    )
    unresolved_timeout_s: float | None = flag(
        "how long a record is retained while its claim is unresolved; no limit when not given",
        default=None,
        compat=0.0,
        kind=NON_NEGATIVE_DURATION,
    )
    finalizer_timeout_s: float = flag(
        "put a finalizer on each DNSEndpoint that is published: once deleted, it stays until its records are gone, at "
        "most this long; 0s is off",
        default=0.0,
        kind=NON_NEGATIVE_DURATION,
        in_plan=False,
    )
    max_delete_percent: int = flag(
        "delete budget of a zone, and of each namespace in it: percentage of our names whose records may be deleted "
        "within ten minutes without approval; 100 is no limit",
        default=30,
        compat=100,
        kind=make_number_kind(0, 100),
    )
    max_delete_count: int = flag(
        "delete budget of a zone, and of each namespace in it: number of our names whose records may be deleted "
        "within ten minutes without approval, even if that exceeds --max-delete-percent",
        default=10,
        kind=make_number_kind(0),
    )
    approve: tuple[str, ...] = flag(
        "approve the held deletes with this code",
        default=(),
        kind=CODE,
        notice="applies at every start; remove it once the deletes are made",
    )
    accept_cluster: tuple[str, ...] = flag(
        "accept the cluster with this id, if the saved state belongs to another one", default=(), kind=CLUSTER_ID
    )
    state_configmap: str = flag(
        "ConfigMap in which accepted settings, budgets, holds and approvals are saved, in the pod's namespace or, as "
        "NAMESPACE/NAME, in another; empty saves no state",
        default="extdns-state",
        compat="",
        metavar="NAME",
        in_plan=False,
    )
    state_file: str = flag(
        "file to save the state in, instead of --state-configmap; with --manifests no state is saved without it",
        metavar="PATH",
        in_plan=False,
    )
