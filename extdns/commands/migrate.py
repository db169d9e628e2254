"""`extdns migrate`: show what a switch from external-dns would change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from extdns.command import OUTPUT, command
from extdns.commands.output import show_document
from extdns.flags import parser
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.documents.plan import PassResult


@command(
    examples=("extdns migrate @extdns.flags", "extdns migrate @extdns.flags --output=json"),
    exit_codes=(
        "0 if the first pass of extdns would change nothing, 2 if it would change something, 4 if nothing is in "
        "scope or records are not ours, 3 if deletes are held, 1 if a flag is wrong or something could not be read."
    ),
)
@OUTPUT
def main(flags: Sequence[str], environ: Mapping[str, str], *, output: str) -> int:
    """Show what a switch from external-dns to extdns would change.

    Give the flags and environment variables (EXTERNAL_DNS_*) that external-dns runs with. extdns reads the objects and
    zones, plans once by its own rules and once by those of external-dns (--compat), and compares the two plans. Nothing
    is written.

    The output separates changes that external-dns would make anyway from those that extdns makes because it differs on
    purpose.
    """
    from extdns.commands.one_pass import configure_pass, describe_command, require_files, run_pass
    from extdns.controller.exit_codes import DONE, FAILED, HELD, INCOMPLETE, NOTHING_IN_SCOPE
    from extdns.documents.migration import build_migration, format_migration

    config = configure_pass(flags, environ)
    if config.control.compat:
        raise usage_error("extdns migrate itself makes a second plan with --compat", "leave --compat out")
    require_files(config, "extdns migrate")
    ours = run_pass(config)
    theirs = _run_compat_pass(ours, flags, environ)
    document = build_migration(ours, theirs)
    show_document(document, format_migration(document, describe_command(config, flags)), output)
    if ours.missing or theirs.missing:
        return FAILED
    if document.held:
        return HELD
    if not document.conclusive:
        return NOTHING_IN_SCOPE
    return INCOMPLETE if document.likewise or document.differing or document.ours else DONE


def _run_compat_pass(ours: PassResult, flags: Sequence[str], environ: Mapping[str, str]) -> PassResult:
    """Plan by the rules of external-dns, over the zones that the first pass has read."""
    from extdns.commands.one_pass import FixedStateStore, configure_pass, run_pass
    from extdns.commands.zone_snapshot import build_engine_reader
    from extdns.model.saved_state import Saved

    policy = () if "policy" in parser.parse_settings(flags, environ) else (f"--policy={ours.config.control.policy}",)
    config = configure_pass([*flags, *policy, "--compat"], environ)
    reader = partial(build_engine_reader, ours.engine, lambda zone_state: zone_state.cache.all_records())
    return run_pass(config, reader, FixedStateStore(Saved()))
