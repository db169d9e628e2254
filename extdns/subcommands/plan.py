"""`extdns plan`: show what would change, and why; write nothing."""

from __future__ import annotations

from typing import Any

from extdns.command import command, option, output_option
from extdns.flags.kind import make_choice_kind


@command(
    examples=("extdns plan @extdns.flags", "extdns plan @extdns.flags --output=markdown"),
    exit_codes=(
        "0 if there is nothing to do, 2 if there are changes, 3 if deletes are held, 4 if no zone or no object was "
        "read or filters exclude every zone or name (not with --compat), 1 if a flag is wrong or something could not "
        "be read, so that the plan is incomplete. With --fail-on, 5 comes before 3, 2, 4 and 0."
    ),
)
@option(
    "--fail-on",
    kind=make_choice_kind("a result of a rule", "deny", "warn"),
    help="ends with 5 if a rule denies a record; with `warn`, also if a rule warns. Ends with 1 if there is no rule, "
    "or the policy server does not answer",
)
@option("--held", is_flag=True, help="shows only held deletes; the exit code is that of the whole plan")
@option(
    "--base",
    metavar="DIR_OR_REF",
    help="shows only what --manifests change compared with another file or folder, or a Git revision",
)
@option(
    "--zone-snapshot",
    metavar="FILE",
    help="reads the zones from the output of `extdns owners --output=json`, not from the DNS service",
)
@option(
    "--controller",
    metavar="URL",
    help="shows what a running extdns, at the address of its live page, has planned but not yet written, and what it "
    "keeps or holds. This costs no call to the cluster or the DNS service, counts grace periods, and cannot be used "
    "for `extdns apply`",
)
@output_option("text", "json", "markdown")
def main(*arguments: Any, **options: Any) -> int:
    """Show what one pass would do.

    That is every change with the object that requests it and the evidence, and every record that is kept, held or not
    published, with the reason. Nothing is written: no records, no state, no Events.

    Give the flags that extdns runs with; --once and --dry-run are implied. There is no grace period: deletes with
    sufficient evidence are shown as deletes. With --manifests=- the objects are read from standard input.

    Symbols: + create, ~ update, - delete, ! kept or not published
    """
    from extdns.commands.plan import main as run

    return run(*arguments, **options)
