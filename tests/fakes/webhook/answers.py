"""What the fake answers in place of the correct answer, by defect."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from tests.fakes.service.answers import Answer
from tests.fakes.webhook.defects import Defect
from tests.fakes.webhook.zone import Endpoint

MEDIA_TYPE: Final = "application/external.dns.webhook+json;version=1"


def build_answer(found: object) -> Answer:
    return Answer(status=200, body=json.dumps(found).encode() + b"\n", headers={"Content-Type": MEDIA_TYPE})


def _replace_body(found: object) -> Callable[[Answer], Answer]:
    return lambda _: build_answer(found)


def _replace_media_type(text: str) -> Callable[[Answer], Answer]:
    return lambda answer: replace(answer, headers={"Content-Type": text} if text else {})


def _replace_status(status: int) -> Callable[[Answer], Answer]:
    return lambda answer: replace(answer, status=status)


def _wrap(answer: Answer) -> Answer:
    return build_answer({"endpoints": json.loads(answer.body)})


NEGOTIATIONS: Final[Mapping[Defect, Callable[[Answer], Answer]]] = {
    Defect.NEGOTIATION_FAILS: _replace_status(404),
    Defect.PLAIN_JSON_MEDIA_TYPE: _replace_media_type("application/json"),
    Defect.MEDIA_TYPE_WITH_BLANK: _replace_media_type(MEDIA_TYPE.replace(";", "; ")),
    Defect.FILTER_MISSING: lambda answer: replace(answer, body=b""),
    Defect.FILTER_OF_BOTH_KINDS: _replace_body({"include": ["example.org"], "regexInclude": "example"}),
    Defect.FILTER_PATTERN_INVALID: _replace_body({"regexInclude": "(example"}),
    Defect.FILTER_WITHOUT_ZONE: _replace_body({"include": ["example.com"]}),
}
LISTS: Final[Mapping[Defect, Callable[[Answer], Answer]]] = {
    Defect.RECORDS_STATUS_202: _replace_status(202),
    Defect.RECORDS_IN_OBJECT: _wrap,
    Defect.RECORDS_MEDIA_TYPE_MISSING: _replace_media_type(""),
}
ADJUSTMENTS: Final[Mapping[Defect, Callable[[Answer], Answer]]] = {
    Defect.ADJUST_IN_OBJECT: _wrap,
    Defect.ADJUST_MEDIA_TYPE_MISSING: _replace_media_type(""),
}
APPLICATIONS: Final[Mapping[Defect, Callable[[Answer], Answer]]] = {
    Defect.APPLY_STATUS_200: _replace_status(200),
    Defect.BODY_AFTER_204: lambda answer: replace(answer, body=b'{"status": "ok"}'),
}


def _edit(**fields: Callable[[Any], Any]) -> Callable[[Endpoint], list[Endpoint]]:
    """Return a function that replaces the *fields* that an Endpoint has."""
    return lambda one: [{key: fields[key](value) if key in fields else value for key, value in one.items()}]


def _edit_targets(rtype: str, change: Callable[[str], str]) -> Callable[[Endpoint], list[Endpoint]]:
    """Return a function that changes each target of a record of one type."""
    return lambda one: [{**one, "targets": [change(t) for t in one["targets"]]} if one["recordType"] == rtype else one]


def _drop(field: str) -> Callable[[Endpoint], list[Endpoint]]:
    return lambda one: [{key: value for key, value in one.items() if key != field}]


LISTED: Final[Mapping[Defect, Callable[[Endpoint], list[Endpoint]]]] = {
    Defect.NAMES_WITH_DOT: _edit(dnsName=lambda name: f"{name}."),
    Defect.WILDCARD_ESCAPED: _edit(dnsName=lambda name: name.replace("*", r"\052")),
    Defect.TTL_AS_TEXT: _edit(recordTTL=str),
    Defect.LABELS_AS_LIST: _edit(labels=lambda labels: [{"name": key, "value": labels[key]} for key in labels]),
    Defect.ENDPOINT_PER_TARGET: lambda one: [{**one, "targets": [target]} for target in one["targets"]],
    Defect.CNAME_TARGET_WITH_DOT: _edit_targets("CNAME", lambda target: f"{target}."),
    Defect.TXT_ESCAPED_TWICE: _edit_targets("TXT", lambda target: json.dumps(target)),  # noqa: PLW0108 - one argument
    Defect.MX_WITHOUT_PREFERENCE: _edit_targets("MX", lambda target: target.split()[-1]),
    Defect.SRV_TARGET_WITHOUT_DOT: _edit_targets("SRV", lambda target: target.removesuffix(".")),
    Defect.TTL_DROPPED: _drop("recordTTL"),
    Defect.PROPERTIES_DROPPED: _drop("providerSpecific"),
}
"""What is listed in place of a record."""

ADJUSTED: Final[Mapping[Defect, Callable[[Endpoint], list[Endpoint]]]] = {
    Defect.ADJUST_LOSES_LABELS: _drop("labels"),
    Defect.ADJUST_RENAMES: _edit(dnsName=lambda name: f"{name}."),
    Defect.ADJUST_NOT_IDEMPOTENT: _edit(recordTTL=lambda ttl: ttl + 1),
}
"""What an Endpoint is adjusted to, in place of itself."""


def edit(
    endpoints: Sequence[Endpoint],
    edits: Mapping[Defect, Callable[[Endpoint], list[Endpoint]]],
    defect: Defect | None,
) -> list[Endpoint]:
    """Return *endpoints* as the defect shows them."""
    change = edits.get(defect) if defect else None
    return [edited for one in endpoints for edited in (change(one) if change else [one])]
