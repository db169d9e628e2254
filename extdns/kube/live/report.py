"""What a reflector tells the cluster."""

from __future__ import annotations

from dataclasses import dataclass

from extdns.kube.live.roll import News
from extdns.model.cluster import Kind, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """News of one kind in one namespace, in the order in which they came, then the phase that they led to.

    Attributes:
        namespace: "" for all.
        phase: None if it is the same as before.
        detail: the error behind a phase that is not `SYNCED`, else "".
    """

    kind: Kind
    namespace: str
    news: tuple[News, ...] = ()
    phase: Phase | None = None
    detail: str = ""
