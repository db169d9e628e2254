"""The answer to ListResourceRecordSets, read here: the SDK takes three times as long over a page as all else we do.

It comes as XML, a `ResourceRecordSet` a record set with its fields below it (API reference,
ListResourceRecordSets); what is in no list of ours is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from msgspec.structs import replace

from extdns.model.pairs import Pairs
from providers.aws.wire import AliasTarget, ListedSets, Position, RecordSet

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_POLICIES: Final = frozenset(
    {
        "Weight",
        "Region",
        "Failover",
        "MultiValueAnswer",
        "GeoLocation",
        "GeoProximityLocation",
        "CidrRoutingConfig",
    }
)


def listed(body: bytes) -> ListedSets:
    """The page that *body* holds.

    Raises:
        ValueError: it is not what the service answers.
    """
    try:
        root = ET.fromstring(body)  # noqa: S314 - as the SDK does: the answer of the service, over TLS
    except ET.ParseError as exc:
        raise ValueError(f"the answer is no XML: {exc}") from exc
    space = root.tag[: root.tag.find("}") + 1]
    found = root.find(f"{space}ResourceRecordSets")
    if found is None:
        raise ValueError("the answer holds no record sets")
    skip = len(space)
    sets = tuple(_record_set(element, skip) for element in found)
    if root.findtext(f"{space}IsTruncated") != "true":
        return ListedSets(sets=sets)
    after = Position(
        name=root.findtext(f"{space}NextRecordName", ""),
        type=root.findtext(f"{space}NextRecordType", ""),
        set_identifier=root.findtext(f"{space}NextRecordIdentifier", ""),
    )
    return ListedSets(sets=sets, after=after)


def _record_set(element: Element, skip: int) -> RecordSet:
    fields = {child.tag[skip:]: child for child in element}
    ttl, values, alias = fields.get("TTL"), fields.get("ResourceRecords"), fields.get("AliasTarget")
    made = RecordSet(
        name=fields["Name"].text or "",
        type=fields["Type"].text or "",
        ttl_s=None if ttl is None else int(ttl.text or ""),
        values=() if values is None else tuple([record[0].text or "" for record in values]),
        alias=None if alias is None else _alias({child.tag[skip:]: child.text or "" for child in alias}),
        health_check_id=fields["HealthCheckId"].text or "" if "HealthCheckId" in fields else "",
    )
    if "SetIdentifier" not in fields:
        return made
    routing = (pair for tag, child in fields.items() if tag in _POLICIES for pair in _flattened(child, "", skip))
    return replace(made, set_identifier=fields["SetIdentifier"].text or "", routing=Pairs.of(routing))


def _alias(fields: dict[str, str]) -> AliasTarget:
    return AliasTarget(
        zone_id=fields["HostedZoneId"],
        name=fields["DNSName"],
        evaluate_target_health=fields["EvaluateTargetHealth"] == "true",
    )


def _flattened(element: Element, path: str, skip: int) -> Iterator[tuple[str, str]]:
    name = path + element.tag[skip:]
    if len(element) == 0:
        yield name, element.text or ""
    for child in element:
        yield from _flattened(child, f"{name}.", skip)
