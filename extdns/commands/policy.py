"""`extdns policy`: check the rules in DNSPolicies, and run tests of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from extdns.command import NO_FLAGS, OUTPUT, command
from extdns.commands.output import show_document
from extdns.flags.kind import make_choice_kind
from extdns.flags.parser import KindType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@command(
    flags=NO_FLAGS,
    examples=("extdns policy check rules.yaml", "extdns policy test tests.yaml --output=json"),
    exit_codes="0, or 1 if a rule or a test file is invalid, a test failed, or there is no rule or no test.",
)
@click.argument("action", metavar="check|test", type=KindType(make_choice_kind("an action", "check", "test")))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@OUTPUT
def main(_flags: Sequence[str], _: Mapping[str, str], *, action: str, files: Sequence[str], output: str) -> int:
    """Check rules, or run tests of them.

    check: read the DNSPolicies of files and folders, compile their expressions, and evaluate them once on typical
    records. It warns of typical records for which an expression has no value.

    test: run the tests in files, each a record with the violations that it is expected to have. Each file with tests
    names the files with the DNSPolicies.
    """
    from extdns.commands.policy_files import check_policies, test_policies
    from extdns.controller.exit_codes import DONE, FAILED
    from extdns.documents.check import format_policy_check, format_policy_tests

    if action == "check":
        checked = check_policies(files)
        show_document(checked, format_policy_check(checked), output)
        return FAILED if not checked.policies or any(one.problems for one in checked.policies) else DONE
    tested = test_policies(files)
    show_document(tested, format_policy_tests(tested), output)
    return FAILED if tested.problems or not tested.tests or any(not one.passed for one in tested.tests) else DONE
