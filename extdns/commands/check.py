"""`extdns check`: check credentials, permissions and connectivity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from extdns.app.cluster import has_live_cluster, require_api_server
from extdns.app.permissions import check_cluster_permissions
from extdns.app.provider import check_permissions, load_provider
from extdns.commands.check_files import check_files
from extdns.commands.check_rules import check_local_rules, check_policy_server
from extdns.commands.one_pass import configure_pass, describe_command, run_pass
from extdns.commands.output import show_document
from extdns.controller.exit_codes import DONE, FAILED
from extdns.documents.check import CheckDocument, CheckResult, format_check
from extdns.documents.scope_warnings import find_scope_warnings
from extdns.documents.snapshot import count_records
from extdns.engine.scope import measure_scope
from extdns.errors import ApiError, UsageError
from extdns.model.value import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.config import Config
    from extdns.documents.check import CheckState
    from extdns.documents.plan import PassResult
    from extdns.model.zone import Zone

_STATES: Final[Mapping[bool | None, CheckState]] = {True: "ok", False: "missing", None: "unknown"}


def main(flags: Sequence[str], environ: Mapping[str, str], *, output: str) -> int:
    """Check whether extdns has what it needs, and show every result. Return the exit code.

    Raises:
        UsageError: an argument is wrong, or what it names cannot be used.
    """
    config = configure_pass(flags, environ)
    checks = (
        *_check_flags(config),
        *_check_environment(config, environ),
        *check_files(config),
        *_check_services(config),
    )
    document = CheckDocument(process=describe_command(config), checks=checks)
    show_document(document, format_check(document), output)
    return FAILED if any(one.state == "missing" for one in checks) else DONE


def _check_flags(config: Config) -> Iterator[CheckResult]:
    """Report flag values that have no effect."""
    for warning in config.warnings:
        what, _, remedy = warning.partition("\n")
        yield CheckResult(what=what, state="missing", detail="", next=remedy.strip())


def _check_environment(config: Config, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Report environment variables of the provider that are probably wrong."""
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
    yield from check_local_rules(result)
    yield from check_policy_server(config)
    yield from _check_writes(config, [one.zone for one in result.engine.zones])


def _check_cluster(config: Config) -> Iterator[CheckResult]:
    """Report the permissions of the service account."""
    if not has_live_cluster(config):
        return
    try:
        for permission, granted in check_cluster_permissions(config):
            remedy = "" if granted else f"grant {permission} to the service account, as the chart does"
            yield CheckResult(what=f"permission to {permission}", state=_STATES[granted], detail="", next=remedy)
    except ApiError as exc:
        yield CheckResult(
            what="API server", state="missing", detail=str(exc), next="check --kubeconfig, --server, and the network"
        )


def _check_reads(result: PassResult) -> Iterator[CheckResult]:
    """Report the zones and objects that were read, what could not be read, and filters that match nothing."""
    for zone, counts in sorted(count_records(result.engine).items()):
        counted = f"{format_count(counts.records, 'record')} read, {counts.ours} ours"
        yield CheckResult(what=f"zone {zone}", state="ok", detail=counted, next="")
    scope = measure_scope(result.engine)
    if scope.requests_names:
        yield CheckResult(what="objects", state="ok", detail=f"{format_count(scope.objects, 'object')} read", next="")
    for warning in find_scope_warnings(result.config, scope):
        state: CheckState = "missing" if warning.leaves_nothing else "unknown"
        yield CheckResult(what="scope", state=state, detail=warning.text, next=warning.next)
    remedies = load_provider(result.config).remedies
    for problem in result.missing:
        remedy = next((remedy for text, remedy in remedies.items() if text in problem), "")
        yield CheckResult(what="reading", state="missing", detail=problem, next=remedy)


def _check_writes(config: Config, zones: Iterable[Zone]) -> Iterator[CheckResult]:
    """Report whether each zone can be changed."""
    for zone, grant in check_permissions(config, sorted(zones)):
        what = f"permission to change zone {zone}"
        yield CheckResult(what=what, state=_STATES[grant.granted], detail=grant.detail, next=grant.remedy)
