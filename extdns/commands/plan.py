"""`extdns plan`: show what would change, and why; write nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from extdns.commands import running_process
from extdns.commands.one_pass import configure_pass, describe_command, open_reader, run_pass
from extdns.commands.output import JSON, show, show_lines
from extdns.commands.plan_difference import plan_difference
from extdns.commands.screen import Screen
from extdns.commands.zone_snapshot import read_zone_snapshot
from extdns.controller.exit_codes import DONE, FAILED, HELD, INCOMPLETE, NOTHING_IN_SCOPE, VIOLATED
from extdns.documents.document import format_json
from extdns.documents.plan import (
    UP_TO_DATE,
    RunningPlanDocument,
    build_plan_content,
    build_plan_document,
    count_actions,
    format_plan,
    format_plan_markdown,
)
from extdns.documents.rules import FAIL_ON
from extdns.engine.decisions import is_held_decision
from extdns.flags.usage_errors import usage_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from extdns.documents.document import ProcessReference
    from extdns.documents.plan import PassResult, PlanContent, PlanSummary
    from extdns.documents.rules import RuleSnapshot


def main(  # noqa: PLR0913 - the options
    flags: Sequence[str],
    environ: Mapping[str, str],
    *,
    fail_on: str | None,
    held: bool,
    base: str | None,
    zone_snapshot: str | None,
    controller: str | None,
    output: str,
) -> int:
    """Show the plan. Return the exit code.

    Raises:
        UsageError: an argument is wrong, or what it names cannot be used.
    """
    if controller is not None:
        others = {"--held": held, "--base": base, "--zone-snapshot": zone_snapshot}
        running_process.require_no_flags([*flags, *(name for name, value in others.items() if value)])
        return _show_running_plan(controller, output, fail_on)
    config = configure_pass(flags, environ)
    if fail_on and not (config.rules.policy_rules or config.rules.opa_url):
        raise usage_error(f"--fail-on={fail_on} has no rules to evaluate", "give --policy-rules or --opa-url")
    reader = partial(read_zone_snapshot, zone_snapshot) if zone_snapshot else open_reader
    result = run_pass(config, reader) if base is None else plan_difference(config, base, reader)
    displayed = _select_held(result) if held else result
    plan = build_plan_document(displayed) if output == JSON else build_plan_content(displayed)
    _show(plan, output, _describe_empty_plan(base, only_held=held), describe_command(config))
    leaves_nothing = any(one.leaves_nothing for one in plan.warnings) and not config.control.compat
    if fail_on:
        _require_evaluation(fail_on, result.rules)
    if not result.missing and _is_violated(plan, fail_on):
        return VIOLATED
    return _compute_exit_code(result.missing, count_actions(result.decisions), leaves_nothing=leaves_nothing)


def _require_evaluation(fail_on: str, rules: RuleSnapshot) -> None:
    """Raise `UsageError` if nothing denies a record because there is no rule, or the policy server does not answer."""
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


def _is_violated(plan: PlanContent, fail_on: str | None) -> bool:
    """Return whether *plan* has a violation for which `--fail-on` lets the command fail."""
    failing = FAIL_ON[: FAIL_ON.index(fail_on) + 1] if fail_on else ()
    return any(one.result in failing for one in plan.violations)


def _show_running_plan(controller: str, output: str, fail_on: str | None) -> int:
    """Show what a running process has planned. Return the exit code."""
    plan = running_process.fetch_document(controller, "plan", RunningPlanDocument)
    _show(plan, output)
    if not plan.missing and _is_violated(plan, fail_on):
        return VIOLATED
    return _compute_exit_code(
        plan.missing, plan.summary, leaves_nothing=any(one.leaves_nothing for one in plan.warnings)
    )


def _describe_empty_plan(base: str | None, *, only_held: bool) -> str:
    if only_held:
        return "Nothing is held"
    return UP_TO_DATE if base is None else "The manifests change nothing compared with the base"


def _show(plan: PlanContent, output: str, nothing: str = UP_TO_DATE, process: ProcessReference | None = None) -> None:
    match output:
        case "json":
            show(format_json(plan))
        case "markdown":
            show_lines(format_plan_markdown(plan, nothing))
        case _:
            screen = Screen()
            screen.show_lines(format_plan(plan, nothing, screen.width, process))


def _select_held(result: PassResult) -> PassResult:
    return result._replace(decisions=tuple(filter(is_held_decision, result.decisions)), problems=())


def _compute_exit_code(missing: Sequence[str], summary: PlanSummary, *, leaves_nothing: bool) -> int:
    if missing:
        return FAILED
    if summary.held:
        return HELD
    if summary.create or summary.update or summary.delete:
        return INCOMPLETE
    return NOTHING_IN_SCOPE if leaves_nothing else DONE
