"""`extdns owners`: list the owners of the records in the zones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.command import OUTPUT, command
from extdns.commands.output import show_document
from extdns.errors import ExtdnsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.config import Config
    from extdns.model.saved_state import Saved


@command(
    examples=("extdns owners @extdns.flags", "extdns owners @extdns.flags --output=json > zones.json"),
    exit_codes="0, or 1 if a flag is wrong or something could not be read.",
)
@OUTPUT
def main(flags: Sequence[str], environ: Mapping[str, str], *, output: str) -> int:
    """List for each zone the owners of its records, according to the ownership records.

    Also shown is when each owner last saved state; orphans (records of ours that no object requests); ownership records
    that cover no current record; and TXT records that read as ownership records but count as ordinary records. Nothing
    is written.

    The JSON output holds every record of every zone; `extdns plan --zone-snapshot` reads it instead of the zones.
    """
    from msgspec.structs import replace

    from extdns.app.registry import build_registry
    from extdns.commands.one_pass import configure_pass, describe_command, run_pass
    from extdns.controller.exit_codes import DONE, FAILED
    from extdns.documents.owners import build_owners, format_owners

    result = run_pass(configure_pass(flags, environ))
    saved, problems = _load_saved_states(result.config)
    document = build_owners(result, build_registry(result.config), saved, problems)
    document = replace(document, process=describe_command(result.config))
    show_document(document, format_owners(document), output)
    return FAILED if document.missing else DONE


def _load_saved_states(config: Config) -> tuple[tuple[tuple[str, Saved], ...] | None, tuple[str, ...]]:
    """Return the saved state of every owner id, None if nothing is saved or it cannot be read; and why it cannot."""
    from extdns.app.state_store import find_configured_store
    from extdns.kube import state_document

    store = find_configured_store(config)
    try:
        document = store.read() if store else None
    except ExtdnsError as exc:
        return None, (str(exc),)
    return (None if document is None else tuple(state_document.list_owners(document))), ()
