"""Lines of the decision log, in the format of Open Policy Agent (docs/design/decision-log.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec

from extdns.documents.document import encode_json
from extdns.errors import escape_unprintable
from extdns.masking import MASK, mask
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord, OwnedRecord, Record
from extdns.model.zone import Zone
from extdns.rules.evaluation import Evaluation
from extdns.rules.rule_input import Operation, RuleInput, RuleNamespace, RuleObject, build_document

LOCAL_PATH: Final = "extdns/rules"
"""The path of decisions of rules in CEL, which are evaluated here."""


_SHORTEST_HIDDEN: Final = 4
"""Shorter texts occur in messages by chance."""


class DecisionViolation(msgspec.Struct, frozen=True, kw_only=True):
    """One violated rule: `action` is deny, warn or audit."""

    rule: str
    action: str
    msg: str


class DecisionError(msgspec.Struct, frozen=True, kw_only=True):
    """Why the rules gave no result for a record."""

    code: str
    message: str


class DecisionLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One decision, with the fields of the decision log of Open Policy Agent.

    `labels` identify this process. `revision` is that of the rules; for a policy server the revisions of its bundles,
    or a digest of its policies. `path` is the rule of the policy server, or `extdns/rules` for DNSPolicies. `input` is
    the document about the record, without the fields that `erased` lists as JSON pointers; messages have `******` where
    they quote a text of these fields. `result` is missing if `error` says why there is none.
    """

    labels: dict[str, str]
    decision_id: str
    revision: str = ""
    path: str
    input: dict[str, Any]
    result: tuple[DecisionViolation, ...] | None = None
    error: DecisionError | None = None
    timestamp: str
    erased: tuple[str, ...] = ()


def build_decision_line(  # noqa: PLR0913 - the fields of a line
    item: RuleInput,
    evaluation: Evaluation,
    *,
    path: str,
    revision: str,
    labels: Mapping[str, str],
    decision_id: str,
    at: datetime,
    erased: Iterable[str] = (),
) -> DecisionLine:
    """Build the line for the *evaluation* of *item*, without the fields that *erased* lists as JSON pointers."""
    document: dict[str, Any] = {"input": build_document(item)}
    values = {field_path: value for field_path in erased if (value := _remove(document, field_path)) is not None}
    hide = partial(_hide_texts, texts=sorted({*_list_texts(list(values.values()))}, key=len, reverse=True))
    is_known = not evaluation.unavailable
    return DecisionLine(
        labels=dict(labels),
        decision_id=decision_id,
        revision=revision,
        path=path,
        input=document["input"],
        result=tuple(
            DecisionViolation(rule=one.rule, action=one.action.value, msg=hide(one.message))
            for one in evaluation.violations
        )
        if is_known
        else None,
        error=None if is_known else DecisionError(code="unavailable", message=hide(evaluation.unavailable)),
        timestamp=at.isoformat().replace("+00:00", "Z"),
        erased=tuple(values),
    )


def encode_decision_line(line: DecisionLine) -> bytes:
    """Encode *line* as JSON on one line, with the secrets of this process masked."""
    return f"{mask(encode_json(msgspec.to_builtins(line, enc_hook=str)).decode())}\n".encode()


def parse_field_path(field_path: str) -> tuple[str, ...]:
    """Return the keys of a JSON pointer (RFC 6901) to a field below `/input`, the first of which is `input`.

    Raises:
        ValueError: *field_path* is not a JSON pointer, or there is no such field in the input of rules.
    """
    first, *keys = _split(field_path)
    found: object = {"input": build_document(_EXAMPLE)}
    for key in keys:
        if not isinstance(found, dict) or (found and key not in found):  # labels, for one, may have any key
            break
        found = found.get(key, {})
    else:
        if not first and len(keys) > 1:
            return tuple(keys)
    raise ValueError("allowed: a JSON pointer to a field of the input, as /input/object/annotations")


def _split(field_path: str) -> list[str]:
    return [key.replace("~1", "/").replace("~0", "~") for key in field_path.split("/")]


def _remove(document: dict[str, Any], field_path: str) -> object:
    """Remove the field at *field_path*; return its value, None if it was not there."""
    _, *path, last = _split(field_path)
    found: Any = document
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found.pop(last, None) if isinstance(found, dict) else None


def _list_texts(value: object) -> Iterator[str]:
    """Yield the texts in *value* that are long enough to be hidden, in each form in which a message may quote them."""
    if isinstance(value, str) and len(value) >= _SHORTEST_HIDDEN:
        yield from (escape_unprintable(value), "".join(one if one.isprintable() else " " for one in value))
    elif isinstance(value, dict):
        yield from (text for one in value.values() for text in _list_texts(one))
    elif isinstance(value, list):
        yield from (text for one in value for text in _list_texts(one))


def _hide_texts(message: str, *, texts: Iterable[str]) -> str:
    """Return *message* with `******` in the place of each of *texts*, the longest first."""
    for text in texts:
        message = message.replace(text, MASK)
    return message


_NAME: Final = DnsName("example.com")
_EXAMPLE: Final = RuleInput(
    operation=Operation.UPDATE,
    record=DesiredRecord(name=_NAME, type="A", targets=()),
    zone=Zone(name=_NAME, id=_NAME),
    object=RuleObject(api_version="v1", kind="Service", namespace="default", name="web"),
    namespace=RuleNamespace(name="default"),
    current=OwnedRecord(record=Record(name=_NAME, type="A", targets=(), ttl_s=0)),
)
"""An input with every field; its maps and lists are empty."""
