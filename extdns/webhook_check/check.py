"""What a check of a webhook provider is, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from extdns.webhook_check.scratch import Scratch


class CheckEnd(StrEnum):
    """How a check ended."""

    PASSED = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolCheck:
    """One check of a webhook provider.

    Attributes:
        name: identifies the check in reports.
        protocol: what the webhook protocol says about the subject of the check, for people.
        section: where the protocol is described, as `docs/spec/plan.md 6.2.1`.
        run: carries out the check. Raises `ViolationError` or `UnsupportedError` if it does not pass.
        needs: the names of the checks that must pass first; otherwise this one is skipped.
    """

    name: str
    protocol: str
    section: str
    run: Callable[[Scratch], None]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutcome:
    """How one check ended.

    Attributes:
        message: why it failed or was skipped, "" if it passed.
        seconds: how long it took.
    """

    check: ProtocolCheck
    end: CheckEnd
    message: str = ""
    seconds: float = 0.0
