"""The state store that the flags of a command name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app import state_store
from extdns.config import parse_state_flags
from extdns.errors import UsageError
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.kube.state_store import StateDocumentStore


def find_state_store(arguments: Sequence[str], environ: Mapping[str, str]) -> StateDocumentStore:
    """Return the state store that the flags and variables of a run name.

    Raises:
        UsageError: a flag is wrong, or the flags name no state store.
    """
    cluster, deletes = parse_state_flags(arguments, environ)
    if cluster.manifests and not deletes.state_file:
        raise usage_error("with --manifests, state is saved only in a --state-file", "give --state-file=PATH, too")
    try:
        found = state_store.find_document_store(cluster, deletes)
    except UsageError as exc:
        if deletes.state_file:
            raise
        advice = "if extdns saves its state in a file: give --state-file=PATH, as the running extdns has"
        raise usage_error(str(exc), advice) from exc
    if found is None:
        raise usage_error(
            "the flags name no saved state",
            "give --state-configmap=NAME or --state-file=PATH, as the running extdns has",
        )
    return found
