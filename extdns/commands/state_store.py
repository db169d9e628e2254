"""The state store that the flags of a command name."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Final

import click

from extdns.app import state_store
from extdns.config import parse_state_flags
from extdns.errors import UsageError, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.kube.state_store import StateDocumentStore

_SERVICE_ACCOUNT: Final = "system:serviceaccount:"


def find_state_store(arguments: Sequence[str], environ: Mapping[str, str]) -> StateDocumentStore:
    """Return the state store that the flags and variables of a run name."""
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


def find_approver(store: StateDocumentStore, given: str | None) -> str:
    """Return who approves: the *given* name, else the user of the kubeconfig or of this machine, else ask for a name.

    A service account, as which a command in a pod runs, is not a person.
    """
    user = given or store.find_user()
    if user and not user.startswith(_SERVICE_ACCOUNT):
        return user
    if sys.stdin is not None and sys.stdin.isatty():
        return str(click.prompt("Your name, for the audit log", err=True))
    known = f"; known is only {sanitize(user)}" if user else ""
    raise usage_error(f"the name of the person who approves is not known{known}", "give yours: --by=NAME")
