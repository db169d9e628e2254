"""`extdns apply`: apply the changes of a saved plan, and no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extdns.command import command, option
from extdns.commands.output import show_lines
from extdns.errors import sanitize
from extdns.flags.usage_errors import usage_error


@command(
    examples=("extdns plan @extdns.flags --output=json > plan.json", "extdns apply @extdns.flags --plan=plan.json"),
    exit_codes=(
        "0 if all changes were made, 3 if all were made but deletes are held, 1 if the plan was refused or a change "
        "was not made."
    ),
)
@option("--plan", metavar="FILE", required=True, help="the plan to apply")
def main(flags: Sequence[str], environ: Mapping[str, str], *, plan: str) -> int:
    """Make exactly the changes of a plan that `extdns plan --output=json` printed.

    Give the flags that the plan was made with. extdns plans again; if the new plan differs from the stored one, because
    objects, records, ownership records, settings, zones or the version of extdns have changed, nothing is written.

    Applying a plan approves its deletes: they need no other approval and do not count in the delete budget. Deletes
    that the plan shows as held stay held.

    Where the DNS service has conditional writes, a record that somebody else changes in the meantime is left alone.
    Events and the status of objects are written only by the running extdns.
    """
    from extdns.app import assembly
    from extdns.app.provider import build_provider
    from extdns.app.state_store import find_file_failure
    from extdns.commands.one_pass import configure_pass
    from extdns.commands.saved_plan import (
        ApprovedPlanWriter,
        find_deletes,
        find_unmade,
        format_result,
        read_plan,
        require_same_plan,
    )
    from extdns.controller.exit_codes import DONE, FAILED, HELD
    from extdns.controller.stop_signals import StopSignals
    from extdns.documents.plan import summarize_pass

    stored = read_plan(plan)
    if stored.missing:
        raise usage_error("the plan is incomplete, so it cannot be applied", *map(sanitize, stored.missing))
    if stored.base:
        raise usage_error(
            "the plan was made with --base, so it cannot be applied", "make a plan without --base: extdns plan"
        )
    if stored.status_from_cluster:
        raise usage_error(
            "the plan was made with --with-cluster or --cluster-snapshot, so it cannot be applied",
            "make a plan of the cluster itself: extdns plan, without --manifests",
        )
    config = configure_pass(flags, environ, writes=True)
    reader, writer = build_provider(config)
    if writer is None:
        raise usage_error(
            "extdns apply writes, and --dry-run forbids it", "to plan without writing: extdns plan [flags]"
        )
    approved = ApprovedPlanWriter(writer)
    with StopSignals() as signals:
        running = assembly.assemble(config, service=(reader, approved), needs_approval=True)
        signals.deliver_to(running.controller.stop)
        if running.observers.audit:
            running.observers.audit.plan = stored.checksum
        running.engine.delete_guard.approve_plan(find_deletes(stored))

        def approve() -> None:
            require_same_plan(stored, summarize_pass(config, running.engine))
            approved.approve(running.engine)

        running.controller.run(once=True, approve=approve)
    unmade = find_unmade(running.engine, stored)
    show_lines(format_result(unmade, stored))
    if unmade or not running.controller.is_complete or running.observers.unwritten_line_count:
        return FAILED
    if find_file_failure(config, running.engine):
        return FAILED
    return HELD if stored.summary.held else DONE
