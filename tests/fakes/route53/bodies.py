"""Parse the change batch in the body of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.route53 import names, wire
from tests.fakes.route53.batch import Action, Change
from tests.fakes.route53.errors import build_invalid_batch, build_invalid_xml
from tests.fakes.route53.records import decode

_ACTIONS: Final = frozenset(Action)


@dataclass(frozen=True, slots=True)
class Submission:
    """The changes that a client requests, and its comment."""

    changes: tuple[Change, ...] = ()
    comment: str = ""


def parse_submission(body: bytes) -> Submission:
    query = wire.parse(body, "ChangeResourceRecordSetsRequest").get("ChangeBatch")
    if not isinstance(query, dict) or not query.get("Changes"):
        raise build_invalid_xml("The content of element 'Changes' is not complete. One of 'Change' is expected.")
    found, problems = [], []
    for item in query["Changes"]:
        try:
            found.append(_parse_change(item))
        except names.BadName as exc:
            problems.append(str(exc))
    if problems:
        raise build_invalid_batch(problems)
    return Submission(tuple(found), query.get("Comment", ""))


def _parse_change(item: Any) -> Change:  # noqa: ANN401 - whatever was sent
    if not isinstance(item, dict) or not isinstance(item.get("ResourceRecordSet"), dict):
        raise build_invalid_xml(
            "The content of element 'Change' is not complete. One of 'ResourceRecordSet' is expected."
        )
    action = item.get("Action")
    if not isinstance(action, str) or action not in _ACTIONS:
        raise build_invalid_xml(
            f"Value '{action}' is not facet-valid with respect to enumeration of type 'ChangeAction'"
        )
    return Change(Action(action), decode(item["ResourceRecordSet"], action=action))
