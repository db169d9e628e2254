"""`extdns policy`: check the rules in DNSPolicies, and run tests of them."""

from __future__ import annotations

from typing import Any

import click

from extdns.command import NO_FLAGS, OUTPUT, command
from extdns.flags.kind import make_choice_kind
from extdns.flags.parser import KindType


@command(
    flags=NO_FLAGS,
    examples=("extdns policy check rules.yaml", "extdns policy test tests.yaml --output=json"),
    exit_codes="0, or 1 if a rule or a test file is invalid, a test failed, or there is no rule or no test.",
)
@click.argument("action", metavar="check|test", type=KindType(make_choice_kind("an action", "check", "test")))
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@OUTPUT
def main(*arguments: Any, **options: Any) -> int:
    """Check rules, or run tests of them.

    check: read the DNSPolicies of files and folders, compile their expressions, and evaluate them once on typical
    records. It warns of typical records for which an expression has no value.

    test: run the tests in files, each a record with the violations that it is expected to have. Each file with tests
    names the files with the DNSPolicies.
    """
    from extdns.commands.policy import main as run

    return run(*arguments, **options)
