"""`extdns plan`: show what would change, and why; write nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from extdns.command import command, option, output_option
from extdns.commands.output import JSON, show, show_lines
from extdns.flags.kind import make_choice_kind
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.documents.document import ProcessReference
    from extdns.documents.plan import PassResult, PlanContent, PlanSummary
    from extdns.documents.rules import RuleSnapshot


@command(
    examples=("extdns plan @extdns.flags", "extdns plan @extdns.flags --output=markdown"),
    exit_codes=(
        "0 if there is nothing to do, 2 if there are changes, 3 if deletes are held, 4 if no zone or no object was "
        "read or filters exclude every zone or name (not with --compat), 1 if a flag is wrong, something could not be "
        "read, so that the plan is incomplete, or a name in --manifests is not valid, unless deletes are held (not "
        "with --compat). With --fail-on, 5 comes before 3, 2, 4 and 0."
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
    "--with-cluster",
    is_flag=True,
    help="completes --manifests by the objects of the cluster: the status of the same object, and all other objects",
)
@option("--cluster-snapshot", metavar="FILE", help="the same from the output of `extdns snapshot`, without a cluster")
@option(
    "--controller",
    metavar="URL",
    help="shows what a running extdns, at the address of its live page, has planned but not yet written, and what it "
    "keeps or holds. This costs no call to the cluster or the DNS service, counts grace periods, and cannot be used "
    "for `extdns apply`",
)
@output_option("text", "json", "markdown")
def main(  # noqa: PLR0913 - the options
    flags: Sequence[str],
    environ: Mapping[str, str],
    *,
    fail_on: str | None,
    held: bool,
    base: str | None,
    zone_snapshot: str | None,
    with_cluster: bool,
    cluster_snapshot: str | None,
    controller: str | None,
    output: str,
) -> int:
    """Show what one pass would do.

    That is every change with the object that requests it and the evidence, and every record that is kept, held or not
    published, with the reason. Nothing is written: no records, no state, no Events.

    Give the flags that extdns runs with; --once and --dry-run are implied. There is no grace period: deletes with
    sufficient evidence are shown as deletes. With --manifests=- the objects are read from standard input.

    Symbols: + create, ~ update, - delete, ! kept or not published
    """
    from extdns.app.cluster_snapshot import open_snapshot
    from extdns.commands import running_process
    from extdns.commands.one_pass import configure_pass, describe_command, open_reader, run_pass
    from extdns.commands.plan_difference import plan_difference
    from extdns.commands.zone_snapshot import read_zone_snapshot
    from extdns.controller.exit_codes import DONE, FAILED, INCOMPLETE, NOTHING_IN_SCOPE
    from extdns.documents.plan import UP_TO_DATE, build_plan_content, build_plan_document, count_actions
    from extdns.engine.decisions import is_held_decision

    if controller is not None:
        others = {
            "--held": held,
            "--base": base,
            "--zone-snapshot": zone_snapshot,
            "--with-cluster": with_cluster,
            "--cluster-snapshot": cluster_snapshot,
        }
        running_process.require_no_flags([*flags, *(name for name, value in others.items() if value)])
        return _show_running_plan(controller, output, fail_on)
    config = configure_pass(flags, environ)
    if fail_on and not config.rules.has_rules:
        raise usage_error(f"--fail-on={fail_on} has no rules to evaluate", "give --policy-rules or --opa-url")
    reader = partial(read_zone_snapshot, zone_snapshot) if zone_snapshot else open_reader
    with open_snapshot(config, cluster_snapshot, with_cluster=with_cluster) as snapshot:
        if base is None:
            result = run_pass(config, reader, snapshot=snapshot)
        else:
            result = plan_difference(config, base, reader, snapshot)
    nothing = UP_TO_DATE if base is None else "The manifests change nothing compared with the base"
    displayed = result
    if held:
        displayed = result._replace(decisions=tuple(filter(is_held_decision, result.decisions)), problems=())
        nothing = "Nothing is held"
    plan = build_plan_document(displayed) if output == JSON else build_plan_content(displayed)
    _show(plan, output, nothing, describe_command(config))
    leaves_nothing = any(one.leaves_nothing for one in plan.warnings) and not config.control.compat
    if fail_on:
        _require_evaluation(fail_on, result.rules)
    code = _compute_exit_code(plan, count_actions(result.decisions), fail_on, leaves_nothing=leaves_nothing)
    return FAILED if code in {DONE, INCOMPLETE, NOTHING_IN_SCOPE} and _has_invalid_name(result) else code


def _has_invalid_name(result: PassResult) -> bool:
    """Return whether manifests request a name that is not valid, for a job that checks them before they are applied."""
    from extdns.model.reason import REASONS

    checks_files = bool(result.config.cluster.manifests) and not result.config.control.compat
    return checks_files and any(REASONS[problem.reason].row.fails for problem in result.problems)


def _require_evaluation(fail_on: str, rules: RuleSnapshot) -> None:
    local, server = rules.local, rules.server
    if server is not None and server.problem:
        raise usage_error(
            f"--fail-on={fail_on}: the policy server does not answer: {server.problem}",
            "start the server, or correct --opa-url",
        )
    if server is None and local is not None and not local.policies and not local.problems:
        raise usage_error(
            f"--fail-on={fail_on}: no DNSPolicy was read, so no rule denies anything",
            "check the paths of --policy-rules",
        )


def _show_running_plan(controller: str, output: str, fail_on: str | None) -> int:
    from extdns.commands import running_process
    from extdns.documents.plan import UP_TO_DATE, RunningPlanDocument

    plan = running_process.fetch_document(controller, "plan", RunningPlanDocument)
    _show(plan, output, UP_TO_DATE)
    leaves_nothing = any(one.leaves_nothing for one in plan.warnings)
    return _compute_exit_code(plan, plan.summary, fail_on, leaves_nothing=leaves_nothing)


def _show(plan: PlanContent, output: str, nothing: str, process: ProcessReference | None = None) -> None:
    from extdns.commands.screen import Screen
    from extdns.documents.document import format_json
    from extdns.documents.plan import format_plan, format_plan_markdown

    match output:
        case "json":
            show(format_json(plan))
        case "markdown":
            show_lines(format_plan_markdown(plan, nothing))
        case _:
            screen = Screen()
            screen.show_lines(format_plan(plan, nothing, screen.width, process))


def _compute_exit_code(plan: PlanContent, summary: PlanSummary, fail_on: str | None, *, leaves_nothing: bool) -> int:
    from extdns.controller.exit_codes import DONE, FAILED, HELD, INCOMPLETE, NOTHING_IN_SCOPE, VIOLATED
    from extdns.documents.rules import FAIL_ON

    failing = FAIL_ON[: FAIL_ON.index(fail_on) + 1] if fail_on else ()
    if plan.missing:
        return FAILED
    if any(one.result in failing for one in plan.violations):
        return VIOLATED
    if summary.held:
        return HELD
    if summary.create or summary.update or summary.delete:
        return INCOMPLETE
    return NOTHING_IN_SCOPE if leaves_nothing else DONE
