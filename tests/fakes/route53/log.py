"""What the fake Route 53 records of a call."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.fakes.route53.batch import Change

CHANGE: Final = "ChangeResourceRecordSets"
LIST: Final = "ListResourceRecordSets"


@dataclass(kw_only=True, eq=False)
class Call:
    """One call.

    Attributes:
        action: the action as the API names it; "" for an unknown one.
        zone_id: the id of the zone, or "".
        query: the first value of each parameter.
        changes: the changes of the batch.
        status: the HTTP status of the response; 0 without a response.
        code: the error code; "" after a success.
        message: the error message.
        came_s: when the call was received, in monotonic seconds; `answered_s`: when it was answered, 0 until then.
    """

    action: str
    account: str
    zone_id: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    status: int = 0
    code: str = ""
    message: str = ""
    came_s: float = field(default_factory=time.monotonic)
    answered_s: float = 0.0

    @property
    def worked(self) -> bool:
        """Whether the call succeeded and its response was sent."""
        return 200 <= self.status < 300

    def record_answer(self, status: int, code: str = "", message: str = "") -> None:
        self.status, self.code, self.message = status, code, message
        self.answered_s = time.monotonic()
