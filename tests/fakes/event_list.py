"""The Events that a recorder records, as a list in place of an API server."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from extdns.kube.event_recorder import KubernetesEventRecorder
from extdns.kube.event_sender import EventMessage, EventSender
from extdns.model.evidence import Scope
from tests.builders import SERVICE


class _EventList(EventSender):
    def __init__(self) -> None:
        self.messages: list[EventMessage] = []

    def send(self, message: EventMessage) -> None:
        self.messages.append(message)

    def replace_held(self, scope: Scope, messages: Sequence[EventMessage]) -> None:  # noqa: ARG002
        self.messages += messages


def record_events(
    record: Callable[[KubernetesEventRecorder], None],
    *reasons: str,
    problems: bool = True,
    approve: Callable[[str], str] = "extdns approve {}".format,
) -> list[EventMessage]:
    """Return the messages about Services that *record* records. *reasons* and *problems* say which are wanted."""
    sender = _EventList()
    record(
        KubernetesEventRecorder(
            sender,
            owner="me",
            kinds={"service": SERVICE},
            emitted_reasons=reasons,
            emits_problems=problems,
            approve=approve,
        )
    )
    return sender.messages
