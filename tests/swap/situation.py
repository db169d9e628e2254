"""A cluster and its zones on which external-dns has converged: the objects, the flags and the zones as text.

A zone is text, one record set a line:

    web        A     192.0.2.1 | 192.0.2.2            values are separated by bars
    a-web      TXT   owned service/shop/web           an ownership record of the owner "default"
    cname-x    TXT   owned service/shop/x by me       of another owner; `owned -` names no resource
    app        AAAA  alias lb-1.example.net. Z35SX    an alias: its target and the target's zone id
    @          A     192.0.2.7 {ttl=60}               the apex; the TTL is 300 by default
    b          A     192.0.2.8 {id=blue weight=10}    a routed record
    ! mail     A     198.51.100.1                     a record that no object requests: foreign or left over

Names are relative to the zone. The records are derived by hand from the rules of external-dns that `rule` names,
never computed by extdns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from tests.corpus.recordsets import RecordSet

Json = dict[str, Any]

BOTH: Final = ("--source=service", "--source=ingress")
"""The flags of a situation with objects of both kinds."""

_TTL_S: Final = 300
_FIELDS: Final[Mapping[str, str]] = {
    "id": "SetIdentifier",
    "weight": "Weight",
    "region": "Region",
    "failover": "Failover",
    "check": "HealthCheckId",
}


class Scratch(Enum):
    """Which zones extdns makes if at first they hold only the records marked `!`."""

    SAME = "the same zones, byte for byte, in both modes"
    SAME_WITH_COMPAT = "the same with --compat; by default another namespace wins, or a TXT record names its object"
    DIFFERENT = "other zones: the records depend on history, or on a defect of external-dns"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A cluster and zones in which external-dns changes nothing.

    Attributes:
        id: the situation in words.
        rule: the rules of external-dns that lead to these zones, by section of docs/spec/plan.md and sources.md.
        zones: the text of each zone, by name; a name that ends in " private" is a private zone's. Their ids are Z1,
            Z2 and so on.
        flags: the command-line flags.
        creates: records that extdns creates and external-dns fails to create, as `name type`.
        losses: what extdns updates and deletes all the same, an exception of the swap rule, as `FirstPass.losses`.
    """

    id: str
    rule: str
    objects: Sequence[Json]
    zones: Mapping[str, str]
    flags: Sequence[str] = ("--source=service",)
    scratch: Scratch = Scratch.SAME
    creates: Sequence[str] = ()
    losses: Sequence[str] = ()

    def list_zones(self, *, only_unrequested: bool = False) -> list[dict[str, Any]]:
        """Return the zones as keyword arguments of `Route53.add_zone`, with all records or only those marked `!`."""
        return [
            {
                "name": name.removesuffix(" private"),
                "zone_id": f"Z{number}",
                "private": name.endswith(" private"),
                "records": parse_zone(text, name.removesuffix(" private"), only_unrequested=only_unrequested),
            }
            for number, (name, text) in enumerate(self.zones.items(), start=1)
        ]


def parse_zone(text: str, zone: str, *, only_unrequested: bool = False) -> list[RecordSet]:
    """Return the record sets that *text* lists, all or only those marked `!`."""
    lines = filter(None, map(str.strip, text.splitlines()))
    return [parse_record(line, zone) for line in lines if line.startswith("!") or not only_unrequested]


def parse_record(line: str, zone: str) -> RecordSet:
    """Parse one line of a zone's text into a record set with the field names of Route 53."""
    body, _, options = line.removeprefix("!").removesuffix("}").partition("{")
    name, rtype, rest = body.split(None, 2)
    record: dict[str, Any] = {"Name": f"{zone}." if name == "@" else f"{name}.{zone}.", "Type": rtype}
    settings = dict(option.split("=", 1) for option in options.split())
    rest = rest.strip()
    if rest.startswith("alias "):
        _, target, zone_id = rest.split()
        health = settings.pop("health", "yes") == "yes"
        record["AliasTarget"] = {"DNSName": target, "HostedZoneId": zone_id, "EvaluateTargetHealth": health}
    else:
        record["TTL"] = int(settings.pop("ttl", _TTL_S))
        record["ResourceRecords"] = [_value(part.strip()) for part in rest.split(" | ")]
    for option, text in settings.items():
        record |= _field(option, text)
    return record


def _value(text: str) -> str:
    """Return *text*, or the text of the ownership record that `owned RESOURCE [by OWNER]` stands for."""
    if not text.startswith("owned "):
        return text
    _, resource, *owner = text.split()
    labels = [f"external-dns/owner={owner[1] if owner else 'default'}"]
    labels += [] if resource == "-" else [f"external-dns/resource={resource}"]
    return f'"{",".join(["heritage=external-dns", *labels])}"'


def _field(option: str, text: str) -> dict[str, Any]:
    match option:
        case "country" | "continent":
            return {"GeoLocation": {f"{option.capitalize()}Code": text}}
        case "multivalue":
            return {"MultiValueAnswer": True}
        case "weight":
            return {"Weight": int(text)}
        case _:
            return {_FIELDS[option]: text}
