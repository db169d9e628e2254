"""The part of `extdns check` about rules: whether each can be used, and whether the policy server answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from extdns.app.policy_server import build_policy_client
from extdns.documents.check import CheckResult
from extdns.errors import escape_unprintable, sanitize
from extdns.masking import mask_url
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord
from extdns.model.value import format_count
from extdns.model.zone import Zone
from extdns.rules.rule_input import Operation, RuleInput, RuleNamespace, RuleObject

if TYPE_CHECKING:
    from extdns.cel.policy_index import PolicyState
    from extdns.config import Config
    from extdns.documents.plan import PassResult

_CORRECT: Final = "correct the DNSPolicy; to check its file: extdns policy check FILE"
_REFUSED: Final = ("status 401", "status 403")
_TOKEN: Final = "token file"  # noqa: S105 - part of a message
_NOT_DEFINED: Final = "is not defined"
_EXAMPLE_ZONE: Final = Zone(name=DnsName("example.com"), id="example.com")
_EXAMPLE: Final = RuleInput(
    operation=Operation.CREATE,
    record=DesiredRecord(name=DnsName("extdns-check.example.com"), type="A", targets=("192.0.2.1",), ttl_s=300),
    zone=_EXAMPLE_ZONE,
    source="service",
    object=RuleObject(api_version="v1", kind="Service", namespace="default", name="extdns-check"),
    namespace=RuleNamespace(name="default"),
)
"""A record that nobody requests, about which the policy server is asked. Nothing is published."""


def check_local_rules(result: PassResult) -> Iterator[CheckResult]:
    """Report each DNSPolicy that the pass read, and what could not be read."""
    local = result.rules.local
    if local is None:
        return
    named = {
        text for one in local.policies for problem in one.problems for text in (problem, f"{one.label}: {problem}")
    }
    for one in local.policies:
        yield _check_policy(one)
    for problem in local.problems:
        if problem not in named:
            yield CheckResult(
                what="rules",
                state="missing",
                detail=problem,
                next="correct the file, or make it readable for the user of the process",
            )
    if not local.policies and not local.problems:
        detail = "there are no DNSPolicies, so none denies anything"
        yield CheckResult(what="rules", state="unknown", detail=detail, next="check the paths of --policy-rules")


def _check_policy(policy: PolicyState) -> CheckResult:
    what = escape_unprintable(policy.label)
    if policy.problems:
        return CheckResult(what=what, state="missing", detail=policy.problems[0], next=_CORRECT)
    if policy.warnings:
        return CheckResult(what=what, state="unknown", detail=policy.warnings[0], next=_CORRECT)
    return CheckResult(what=what, state="ok", detail=f"compiled, action {policy.action}", next="")


def check_policy_server(config: Config) -> Iterator[CheckResult]:
    """Report whether the policy server answers, takes the token, has the rule, and answers in the expected form."""
    client = build_policy_client(config)
    if client is None:
        return
    what, path = f"--opa-url={sanitize(mask_url(config.rules.opa_url))}", f"--opa-path={config.rules.opa_path}"
    try:
        version = client.read_version()
        if version.problem:
            yield CheckResult(what=what, state="missing", detail=version.problem, next=_find_remedy(version.problem))
            return
        answers = client.evaluate((_EXAMPLE,))
    finally:
        client.close()
    if answers.problem:
        yield CheckResult(what=what, state="missing", detail=answers.problem, next=_find_remedy(answers.problem))
        return
    counted = format_count(len(version.policies), "policy", "policies")
    yield CheckResult(what=what, state="ok", detail=f"it answers; {counted} in the package", next="")
    (found,) = answers.evaluations
    if found.unavailable:
        remedy = "load a policy that defines the rule, or correct --opa-path"
        if _NOT_DEFINED not in found.unavailable:
            remedy = "correct the policies; docs/how-to/rules-in-rego-with-opa.md has their form"
        yield CheckResult(what=path, state="missing", detail=found.unavailable, next=remedy)
        return
    action = "denies" if any(one.action == "deny" for one in found.violations) else "allows"
    yield CheckResult(what=path, state="ok", detail=f"the rule answers; it {action} an example", next="")


def _find_remedy(problem: str) -> str:
    if _TOKEN in problem:
        return "write the token to the file of --opa-token-file, readable for the user of the process"
    if any(status in problem for status in _REFUSED):
        return "let the server accept the token of --opa-token-file for GET /v1/policies and POST /v1/query"
    return "start the server, or correct --opa-url and the --opa-tls-… flags; docs/runbooks/policy-server-failing.md"
