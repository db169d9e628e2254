"""`extdns migrate`: show what a switch from external-dns would change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from extdns.commands.one_pass import FixedStateStore, configure_pass, require_files, run_pass
from extdns.commands.output import show_document
from extdns.commands.zone_snapshot import build_engine_reader
from extdns.controller.exit_codes import DONE, FAILED, HELD, INCOMPLETE
from extdns.documents.migration import build_migration, format_migration
from extdns.flags import parser
from extdns.flags.usage_errors import usage_error
from extdns.model.saved_state import Saved

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.documents.plan import PassResult


def main(flags: Sequence[str], environ: Mapping[str, str], *, output: str) -> int:
    """Show what switching from external-dns to extdns would change. Return the exit code.

    Raises:
        UsageError: an argument is wrong, or what it names cannot be used.
    """
    config = configure_pass(flags, environ)
    if config.control.compat:
        raise usage_error("extdns migrate itself makes a second plan with --compat", "leave --compat out")
    require_files(config, "extdns migrate")
    ours = run_pass(config)
    theirs = _run_compat_pass(ours, flags, environ)
    document = build_migration(ours, theirs)
    show_document(document, format_migration(document), output)
    if ours.missing or theirs.missing:
        return FAILED
    if document.held:
        return HELD
    return INCOMPLETE if document.likewise or document.differing or document.ours else DONE


def _run_compat_pass(ours: PassResult, flags: Sequence[str], environ: Mapping[str, str]) -> PassResult:
    """Plan by the rules of external-dns, over the zones that the first pass has read."""
    policy = () if "policy" in parser.parse_settings(flags, environ) else (f"--policy={ours.config.control.policy}",)
    config = configure_pass([*flags, *policy, "--compat"], environ)
    reader = partial(build_engine_reader, ours.engine, lambda zone_state: zone_state.cache.all_records())
    return run_pass(config, reader, FixedStateStore(Saved()))
