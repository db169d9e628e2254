"""The answer to ListResourceRecordSets, read here: the SDK takes three times as long over a page as all else we do.

It comes as XML, a `ResourceRecordSet` a record set with its fields below it (API reference,
ListResourceRecordSets); what is in no list of ours is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from extdns.model import pairs
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
    texts: dict[str, str] = {}
    values: tuple[str, ...] = ()
    alias = None
    routing: list[tuple[str, str]] = []
    for child in element:
        tag = child.tag[skip:]
        if tag == "ResourceRecords":
            values = tuple(record[0].text or "" for record in child)
        elif tag == "AliasTarget":
            alias = _alias({inner.tag[skip:]: inner.text or "" for inner in child})
        elif tag in _POLICIES:
            routing += _flattened(child, "", skip)
        else:
            texts[tag] = child.text or ""
    return RecordSet(
        name=texts["Name"],
        type=texts["Type"],
        ttl_s=int(texts["TTL"]) if "TTL" in texts else None,
        values=values,
        alias=alias,
        set_identifier=texts.get("SetIdentifier", ""),
        routing=Pairs.of(routing) if "SetIdentifier" in texts else pairs.NONE,
        health_check_id=texts.get("HealthCheckId", ""),
    )


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
