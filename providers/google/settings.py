"""What a person set for Cloud DNS."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.model.request import Heard, unheard
from providers.google.selection import Selection
from providers.remote.allowance import Rate
from providers.remote.writing import Writing


@dataclass(frozen=True, slots=True, kw_only=True)
class GoogleSettings:
    """Settings of the provider.

    Attributes:
        project: ID of the project of the zones, "" for the one that the credentials or the machine belong to.
        endpoint: URL of the API without `/dns/v1`, "" for Google's own. To one that begins with `http:` no
            credentials are sent, as to other emulators.
        page_items: record sets a page.
        max_changes: additions and deletions of a change together, 0 for as many as the project may make.
        pause_s: from one change to the next, 0 for none.
        rate: calls of the project.
        writing: what bounds a change.
        heard: is told of each request.
    """

    project: str = ""
    endpoint: str = ""
    selection: Selection = Selection()  # noqa: RUF009 - frozen
    page_items: int = 1000
    max_changes: int = 1000
    pause_s: float = 0.0
    rate: Rate = Rate()  # noqa: RUF009 - frozen
    writing: Writing = Writing()  # noqa: RUF009 - frozen
    heard: Heard = unheard
