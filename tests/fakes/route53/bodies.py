"""The change batch in the body of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tests.fakes.route53 import names, wire
from tests.fakes.route53.batch import Action, Change
from tests.fakes.route53.errors import invalid_batch, invalid_xml
from tests.fakes.route53.records import decode

_ACTIONS: Final = frozenset(Action)


@dataclass(frozen=True, slots=True)
class Submission:
    """What a client wants changed, and its comment."""

    changes: tuple[Change, ...] = ()
    comment: str = ""


def submission(body: bytes) -> Submission:
    """Read the body of a ChangeResourceRecordSets request.

    Raises:
        ApiError: It is malformed, or names in it are.
    """
    asked = wire.parse(body, "ChangeResourceRecordSetsRequest").get("ChangeBatch")
    if not isinstance(asked, dict) or not asked.get("Changes"):
        raise invalid_xml("The content of element 'Changes' is not complete. One of 'Change' is expected.")
    found, problems = [], []
    for item in asked["Changes"]:
        try:
            found.append(_change(item))
        except names.BadName as exc:
            problems.append(str(exc))
    if problems:
        raise invalid_batch(problems)
    return Submission(tuple(found), asked.get("Comment", ""))


def _change(item: Any) -> Change:  # noqa: ANN401 - whatever was sent
    if not isinstance(item, dict) or not isinstance(item.get("ResourceRecordSet"), dict):
        raise invalid_xml("The content of element 'Change' is not complete. One of 'ResourceRecordSet' is expected.")
    action = item.get("Action")
    if not isinstance(action, str) or action not in _ACTIONS:
        raise invalid_xml(f"Value '{action}' is not facet-valid with respect to enumeration of type 'ChangeAction'")
    return Change(Action(action), decode(item["ResourceRecordSet"], action=action))
