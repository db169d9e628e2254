"""Documents about reason codes."""

from __future__ import annotations

from extdns.facts.document import Facts, Version


class ReasonFacts(Facts, frozen=True, tag_field="kind", tag="Reason"):
    """What a reason code means, and the heading under which docs/reference/reasons.md has it."""

    api_version: Version
    code: str
    group: str
    meaning: str
