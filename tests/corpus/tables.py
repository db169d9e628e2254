"""Intended differences between extdns and the recorded results of external-dns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.corpus.recordsets import RecordSet

# Cases with a quirk of external-dns in which extdns with `--compat` gives the recorded result.
AGREED: Final[Mapping[str, str]] = {
    "010-service-no-status": "--compat deletes at once",
    "045-service-compat-mate": "an IPv6 address makes the A record beside it invalid (docs/spec/sources.md 3.8)",
    "183-policy-missing": "--compat requires --policy",
    "200-migrate-owner": "kept on purpose, where external-dns fails to delete (docs/design/differences.md)",
    "231-apex": "--compat creates without an ownership record",
    "273-httproute-not-accepted": "--compat deletes at once",
    "281-two-gateways": "--compat merges across namespaces",
    "310-alpha-prefix-ignored": "--compat reads the new prefix alone",
    "354-zones-disagree": "zones are compared one by one, which is one of the outcomes recorded",
    "364-ingress-merge-same-ttl": "--compat merges across namespaces",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An intended difference between extdns and the recorded result.

    Attributes:
        reason: the reason, with the section of the design or the spec.
        gone: recorded record sets that extdns does not have, as `name type`.
        more: record sets that extdns has and the recording lacks or has otherwise.
        zone: the id of the zone with the difference, "" for the first zone.
        exit: the exit code of extdns.
    """

    reason: str
    gone: tuple[str, ...] = ()
    more: tuple[RecordSet, ...] = ()
    zone: str = ""
    exit: int = 0


def a(name: str, *addresses: str, **fields: str) -> RecordSet:
    return {**_set(name, "A", "", fields), "ResourceRecords": list(addresses)}


def ownership_record(name: str, resource: str, *, rtype: str = "a", **fields: str) -> RecordSet:
    """Return the ownership record of a record set of acme.test, made for *resource*."""
    heritage = f'"heritage=external-dns,external-dns/owner=default,external-dns/resource={resource}"'
    return _set(f"{rtype}-{name}", "TXT", heritage, fields)


def cname(name: str, target: str, resource: str) -> tuple[RecordSet, RecordSet]:
    return _set(name, "CNAME", target, {}), ownership_record(name, resource, rtype="cname")


def _set(name: str, rtype: str, value: str, fields: Mapping[str, str]) -> dict[str, Any]:
    return {"Name": f"{name}.acme.test.", "Type": rtype, "TTL": 300, "ResourceRecords": [value], **fields}


def _named_in_ownership_records(**resources: str) -> Difference:
    """Return the difference of ownership records that name an object: *resources*, by their names with _ for -."""
    found = tuple(
        ownership_record(label.partition("_")[2].replace("_", "-"), resource, rtype=label.partition("_")[0])
        for label, resource in resources.items()
    )
    return Difference(
        reason="every ownership record names an object (docs/design/differences.md)",
        gone=tuple(f"{one['Name']} TXT" for one in found),
        more=found,
    )


def _apex_ownership_record(resource: str) -> Difference:
    heritage = '"heritage=external-dns,external-dns/ownedRecord=acme.test,external-dns/owner=default,'
    return Difference(
        reason="the apex has its ownership record inside the zone (docs/design/zone-names.md)",
        more=(_set("_extdns-a", "TXT", f'{heritage}external-dns/resource={resource}"', {}),),
    )


# With and without --compat.
OURS: Final[Mapping[str, Difference]] = {
    "117-template-error": Difference(
        reason="an object that a template fails on fails alone (law 3)",
        more=(a("ok", "192.0.2.2"), ownership_record("ok", "service/default/b")),
        exit=1,
    ),
    "214-ownership-txt-spelling": Difference(
        reason="the ownership record is deleted in the form in which it was read (docs/spec/plan.md 11)",
        gone=("gone.acme.test. A", "a-gone.acme.test. TXT"),
    ),
    "222-half-foreign-type-change": Difference(
        reason="a change of type is one change set: both or neither (docs/spec/plan.md 11)",
        more=(a("w", "192.0.2.1"), ownership_record("w", "service/default/w")),
    ),
    "233-idn": Difference(
        reason="names are canonical: the Unicode one is published as A-label (docs/spec/plan.md 11)",
        more=(a("xn--bcher-kva", "192.0.2.5"), ownership_record("xn--bcher-kva", "service/default/w")),
    ),
    "237-upper-case": Difference(
        reason="names are canonical: capitals in the zone part do not matter (docs/spec/plan.md 11)",
        gone=("web.acme.test. A",),
        more=(a("web", "192.0.2.5"), a("new", "192.0.2.6"), ownership_record("new", "service/default/n")),
    ),
    "328-missing-crd": Difference(
        reason="a kind that is not served stops its own source alone (law 3); manifests lack no kind",
        more=(a("a", "192.0.2.1"), ownership_record("a", "service/default/a")),
    ),
    "350-legacy-txt-delete": Difference(
        reason="the ownership record is deleted in the form in which it was read (docs/spec/plan.md 11)",
        gone=("gone.acme.test. A", "gone.acme.test. TXT"),
    ),
    "352-one-zone-of-two": Difference(
        reason="zones are compared one by one (docs/spec/plan.md 11)",
        more=(a("x", "192.0.2.1"), ownership_record("x", "service/default/a")),
        zone="Z62CAF95CA09E",
    ),
}

# Without --compat, in addition to those above.
_INVALID_ENDPOINT: Final = Difference(
    reason="an endpoint that external-dns leaves out with a warning is a failure (docs/design/messages.md)", exit=1
)
OURS_BY_DEFAULT: Final[Mapping[str, Difference]] = {
    "045-service-compat-mate": _INVALID_ENDPOINT,
    "296-crd-default-targets": _INVALID_ENDPOINT,
    "119-template-missing-label": Difference(
        reason="an ownership record that could be read as one of another name states its record (docs/spec/plan.md 11)",
        gone=("a-a-gold.acme.test. TXT",),
        more=(
            _set(
                "a-a-gold",
                "TXT",
                '"heritage=external-dns,external-dns/ownedRecord=a-gold.acme.test,'
                'external-dns/owner=default,external-dns/resource=service/default/a"',
                {},
            ),
        ),
        exit=1,
    ),
    "010-service-no-status": Difference(
        reason="an address that went away is no evidence: the record stays (docs/design/delete-safety.md)",
        more=(a("pending", "192.0.2.70"), ownership_record("pending", "service/default/pending")),
    ),
    "041-service-cname-clash": Difference(
        reason="of two namespaces the one with the older object has the name (docs/design/differences.md)",
        gone=("c.acme.test. CNAME", "cname-c.acme.test. TXT"),
        more=cname("c", "bbb.example.net", "service/a/p"),
    ),
    "043-service-cname-incumbent-gone": Difference(
        reason="the namespace that has the name did not give it up: its object exists (docs/design/differences.md)",
        gone=("c.acme.test. CNAME", "cname-c.acme.test. TXT"),
        more=cname("c", "bbb.example.net", "service/a/p"),
        exit=3,
    ),
    "044-service-a-vs-cname": Difference(
        reason="the namespace that has the name keeps it (docs/design/differences.md)",
        gone=("w.acme.test. A", "a-w.acme.test. TXT"),
        more=cname("w", "x.example.net", "service/a/p"),
    ),
    "082-setid-renamed": Difference(
        reason="the old set has no evidence: its object exists and did not change (docs/design/delete-safety.md)",
        more=(
            a("w", "192.0.2.1", SetIdentifier="v1", Weight="5"),
            ownership_record("w", "service/default/a", SetIdentifier="v1", Weight="5"),
        ),
        exit=3,
    ),
    "114-fqdn-target-template": _named_in_ownership_records(a_a="service/default/a", aaaa_a6="service/default/a"),
    "136-namespace": Difference(
        reason="nothing reads the namespace of the object behind the record (docs/design/delete-safety.md)",
        more=(a("a", "192.0.2.1"), ownership_record("a", "service/one/a")),
        exit=3,
    ),
    "141-domain-filter-zone": _apex_ownership_record("service/default/a"),
    "143-domain-filter-case": _apex_ownership_record("service/default/a"),
    "145-regex-domain": _apex_ownership_record("service/default/a"),
    "169-ptr": Difference(
        reason="the ownership record of a PTR record names an object (docs/design/differences.md)",
        gone=("ptr-7.2.0.192.in-addr.arpa. TXT",),
        more=({**ownership_record("7", "service/default/a", rtype="ptr"), "Name": "ptr-7.2.0.192.in-addr.arpa."},),
        zone="Z82AAD18815D4",
    ),
    "183-policy-missing": Difference(
        reason="--policy defaults to sync (docs/design/differences.md)",
        gone=("stale.acme.test. A", "a-stale.acme.test. TXT", "web.acme.test. A"),
        more=(a("web", "192.0.2.40"), a("new", "192.0.2.41"), ownership_record("new", "service/default/new")),
    ),
    "202-noop-registry": Difference(
        reason="without ownership records nothing shows for whom a record was made, so it stays (law 1)",
        more=(a("stale", "192.0.2.1"),),
        exit=3,
    ),
    "204-lone-txt": Difference(
        reason="another owner has the ownership record, so nothing is created (docs/design/laws.md)",
        gone=("w2.acme.test. A",),
    ),
    "231-apex": _apex_ownership_record("service/default/w"),
    "235-long-label": Difference(
        reason="the label of the ownership record would be too long (docs/design/differences.md)",
        gone=(f"{'a' * 63}.acme.test. A",),
        exit=1,
    ),
    "260-pod-hostname": _named_in_ownership_records(a_p="pod/app/p1", a_pi="pod/app/p1", aaaa_q="pod/app/p2"),
    "262-pod-ignore-non-hostnet": _named_in_ownership_records(a_p="pod/app/p1"),
    "264-pod-kops": _named_in_ownership_records(a_api="pod/kube-system/p1", a_api_int="pod/kube-system/p1"),
    "273-httproute-not-accepted": Difference(
        reason="a Route that is not accepted any more is no evidence: the record stays (docs/design/delete-safety.md)",
        more=(a("r1", "203.0.113.9"), ownership_record("r1", "httproute/shop/r1")),
    ),
    "281-two-gateways": Difference(
        reason="of two namespaces the one with the older object has the name (docs/design/differences.md)",
        gone=("r.acme.test. A", "a-r.acme.test. TXT"),
        more=(a("r", "203.0.113.1", "203.0.113.2"), ownership_record("r", "httproute/shop/r")),
    ),
    "310-alpha-prefix-ignored": Difference(
        reason="both annotation prefixes are read (docs/design/differences.md)",
        more=(a("a", "192.0.2.1"), ownership_record("a", "service/default/a")),
    ),
    "364-ingress-merge-same-ttl": Difference(
        reason="of two namespaces the one with the older object has the name (docs/design/differences.md)",
        gone=("h.acme.test. A", "a-h.acme.test. TXT"),
        more=(a("h", "192.0.2.2", TTL="60"), ownership_record("h", "ingress/one/a")),
    ),
    "340-combined": Difference(
        reason="the Ingress exists, and no version of it was seen that was selected (docs/design/delete-safety.md)",
        more=(
            a("int", "10.0.0.9"),
            _set(
                "a-x.int",
                "TXT",
                '"heritage=external-dns,external-dns/owner=prod-1,external-dns/resource=ingress/prod/int"',
                {},
            ),
        ),
        exit=3,
    ),
}
