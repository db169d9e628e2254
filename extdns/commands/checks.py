"""What `extdns check` checks: flags, files, the cluster, the DNS service and rules."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extdns.app.cluster import has_live_cluster, require_api_server
from extdns.app.permissions import check_cluster_permissions, check_table
from extdns.app.policy_server import build_policy_client
from extdns.app.provider import check_permissions, load_provider
from extdns.app.state_store import find_configured_store
from extdns.commands.one_pass import run_pass
from extdns.documents.check import CheckResult
from extdns.documents.ownership import find_ownership_warning, measure_ownership
from extdns.documents.scope_warnings import find_scope_warnings
from extdns.documents.snapshot import count_records
from extdns.engine.scope import measure_scope
from extdns.errors import ApiError, ExtdnsError, UsageError, escape_unprintable, sanitize
from extdns.flags.process import STANDARD_OUTPUT
from extdns.kube import state_document
from extdns.masking import mask_url
from extdns.model.dns_name import DnsName
from extdns.model.record import DesiredRecord
from extdns.model.value import format_count
from extdns.model.zone import Zone
from extdns.paths import is_folder
from extdns.rules.rule_input import Operation, RuleInput, RuleNamespace, RuleObject

if TYPE_CHECKING:
    from extdns.cel.policy_index import PolicyState
    from extdns.config import Config
    from extdns.documents.check import CheckState
    from extdns.documents.plan import PassResult

_OWN_FOLDER: Final = "let the user of the process write to the folder"
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
_STATES: Final[Mapping[bool | None, CheckState]] = {True: "ok", False: "missing", None: "unknown"}


def run_checks(config: Config, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Check everything that a process with *config* needs. Nothing is written."""
    yield from _check_flags(config)
    yield from _check_environment(config, environ)
    yield from _check_files(config)
    yield from _check_services(config)


def _check_flags(config: Config) -> Iterator[CheckResult]:
    for warning in config.warnings:
        what, _, remedy = warning.partition("\n")
        yield CheckResult(what=what, state="missing", next=remedy.strip())
    for notice in config.notices:
        yield CheckResult(what=notice, state="note")


def _check_environment(config: Config, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    for what, detail, remedy in load_provider(config).check_environment(environ):
        yield CheckResult(what=what, state="unknown", detail=detail, next=remedy)


def _check_services(config: Config) -> Iterator[CheckResult]:
    """Report on the cluster, the DNS service and the rules. If the API server does not answer, report only that."""
    try:
        require_api_server(config)
    except UsageError as exc:
        text, _, remedy = str(exc).partition("\n")
        yield CheckResult(what="API server", state="missing", detail=text, next=remedy.strip())
        return
    result = run_pass(config)
    yield from _check_cluster(config)
    yield from _check_reads(result)
    yield from _check_state(result)
    yield from _check_local_rules(result)
    yield from _check_policy_server(config)
    yield from _check_writes(config, [one.zone for one in result.engine.zones])


def _check_cluster(config: Config) -> Iterator[CheckResult]:
    if not has_live_cluster(config):
        return
    try:
        for permission, granted in check_cluster_permissions(config):
            remedy = "" if granted else f"grant {permission} to the service account, as the chart does"
            yield CheckResult(what=f"permission to {permission}", state=_STATES[granted], next=remedy)
    except ApiError as exc:
        yield CheckResult(
            what="API server", state="missing", detail=str(exc), next="check --kubeconfig, --server, and the network"
        )


def _check_reads(result: PassResult) -> Iterator[CheckResult]:
    for zone, counts in sorted(count_records(result.engine).items()):
        counted = f"{format_count(counts.records, 'record')} read, {counts.ours} ours"
        yield CheckResult(what=f"zone {zone}", state="ok", detail=counted)
    scope = measure_scope(result.engine)
    if scope.requests_names:
        yield CheckResult(what="objects", state="ok", detail=f"{format_count(scope.objects, 'object')} read")
    unowned = find_ownership_warning(result.config, measure_ownership(result.engine))
    warnings = find_scope_warnings(result.config, scope)
    for warning in (*warnings, *([unowned] if unowned and unowned.leaves_nothing else [])):
        state: CheckState = "missing" if warning.leaves_nothing else "unknown"
        yield CheckResult(what="scope", state=state, detail=warning.text, next=warning.next)
    remedies = load_provider(result.config).remedies
    for problem in result.missing:
        remedy = next((remedy for text, remedy in remedies.items() if text in problem), "")
        yield CheckResult(what="reading", state="missing", detail=problem, next=remedy)


def _check_state(result: PassResult) -> Iterator[CheckResult]:
    """Compare the owner id with those of the saved state, if there are records of ours and the state can be read."""
    config, owner = result.config, result.config.registry.txt_owner_id
    ours = sum(counts.ours for counts in count_records(result.engine).values())
    with suppress(ExtdnsError):  # it is reported as a missing permission or file
        store = find_configured_store(config) if ours else None
        if store is None:
            return
        saved = [one for one, _ in state_document.list_owners(store.read() or {})]
        if owner in saved:
            yield CheckResult(what="saved state", state="ok", detail=f"of owner id {sanitize(owner)}")
            return
        others = f"; it has {', '.join(map(sanitize, saved))}" if saved else ""
        yield CheckResult(
            what="saved state",
            state="unknown",
            detail=f"{store} has none of owner id {sanitize(owner)}, which has {format_count(ours, 'record')}{others}",
            next="if another cluster has this owner id, give each its own --txt-owner-id; else the next pass saves it",
        )


def _check_writes(config: Config, zones: Iterable[Zone]) -> Iterator[CheckResult]:
    for zone, grant in check_permissions(config, sorted(zones)):
        what = f"permission to change zone {zone}"
        yield CheckResult(what=what, state=_STATES[grant.granted], detail=grant.detail, next=grant.remedy)
    if table := check_table(config):
        what = f"permission to change table {sanitize(config.registry.dynamodb_table)}"
        yield CheckResult(what=what, state=_STATES[table.granted], detail=table.detail, next=table.remedy)


def _check_local_rules(result: PassResult) -> Iterator[CheckResult]:
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
    return CheckResult(what=what, state="ok", detail=f"compiled, action {policy.action}")


def _check_policy_server(config: Config) -> Iterator[CheckResult]:
    client = build_policy_client(config)
    if client is None:
        return
    what, path = f"--opa-url={sanitize(mask_url(config.rules.opa_url))}", f"--opa-path={config.rules.opa_path}"
    with closing(client):
        version = client.read_version()
        if version.problem:
            yield CheckResult(what=what, state="missing", detail=version.problem, next=_find_remedy(version.problem))
            return
        answers = client.evaluate((_EXAMPLE,))
    if answers.problem:
        yield CheckResult(what=what, state="missing", detail=answers.problem, next=_find_remedy(answers.problem))
        return
    counted = format_count(len(version.policies), "policy", "policies")
    yield CheckResult(what=what, state="ok", detail=f"it answers; {counted} in the package")
    (found,) = answers.evaluations
    if found.unavailable:
        remedy = "load a policy that defines the rule, or correct --opa-path"
        if _NOT_DEFINED not in found.unavailable:
            remedy = "correct the policies; docs/how-to/rules-in-rego-with-opa.md has their form"
        yield CheckResult(what=path, state="missing", detail=found.unavailable, next=remedy)
        return
    action = "denies" if any(one.action == "deny" for one in found.violations) else "allows"
    yield CheckResult(what=path, state="ok", detail=f"the rule answers; it {action} an example")


def _find_remedy(problem: str) -> str:
    if _TOKEN in problem:
        return "write the token to the file of --opa-token-file, readable for the user of the process"
    if any(status in problem for status in _REFUSED):
        return "let the server accept the token of --opa-token-file for GET /v1/policies and POST /v1/query"
    return "start the server, or correct --opa-url and the --opa-tls-… flags; docs/runbooks/policy-server-failing.md"


def _check_files(config: Config) -> Iterator[CheckResult]:
    if config.deletes.state_file:
        yield _check_state_file(config, Path(config.deletes.state_file))
    if config.log.audit_log not in {"", STANDARD_OUTPUT}:
        yield _check_audit_log(Path(config.log.audit_log))


def _check_state_file(config: Config, path: Path) -> CheckResult:
    what = f"--state-file={escape_unprintable(str(path))}"
    try:
        store = find_configured_store(config)
        found = store.read() if store else None
    except ExtdnsError as exc:
        detail, _, remedy = str(exc).partition("\n")
        return CheckResult(what=what, state="missing", detail=detail, next=remedy.strip())
    if obstacle := _find_folder_obstacle(path):
        return CheckResult(what=what, state="missing", detail=obstacle, next=_OWN_FOLDER)
    detail = "the file can be read and replaced" if found else "there is no saved state yet; the file can be created"
    return CheckResult(what=what, state="ok", detail=detail)


def _check_audit_log(path: Path) -> CheckResult:
    what = f"--audit-log={escape_unprintable(str(path))}"
    if obstacle := _find_folder_obstacle(path):  # the file is renamed when it is full
        return CheckResult(what=what, state="missing", detail=obstacle, next=_OWN_FOLDER)
    try:
        path.stat()
    except FileNotFoundError:
        return CheckResult(what=what, state="ok", detail="the file can be created")
    except OSError as exc:
        return CheckResult(what=what, state="missing", detail=str(exc.strerror), next="correct the path")
    if not path.is_file():
        remedy = "allowed: stdout, or the path of a file"
        return CheckResult(what=what, state="missing", detail="it is not a file", next=remedy)
    if not os.access(path, os.R_OK | os.W_OK, effective_ids=True):
        detail = f"user {os.geteuid()} has no permission to read and write the file"
        return CheckResult(what=what, state="missing", detail=detail, next="let the user of the process own the file")
    if _is_locked(path):
        remedy = (
            "if the other process is not the extdns that runs with these flags, give each process a file of its own"
        )
        return CheckResult(what=what, state="unknown", detail="another process writes the file", next=remedy)
    return CheckResult(what=what, state="ok", detail="the file can be written")


def _find_folder_obstacle(path: Path) -> str:
    """Return why no file can be created in the folder of *path*, "" if one can."""
    folder = path.parent
    if not is_folder(folder):
        return f"there is no folder {escape_unprintable(str(folder))}"
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        return f"the folder {escape_unprintable(str(folder))} is read-only for user {os.geteuid()}"
    return ""


def _is_locked(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
