"""`extdns check`: check credentials, permissions and connectivity, with calls that only read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from extdns.app.cluster import SOURCES_WITHOUT_CLUSTER, has_live_cluster
from extdns.app.permissions import check_cluster_permissions, check_permissions
from extdns.app.sources import build_sources
from extdns.commands.one_pass import configure_pass, run_pass
from extdns.commands.options import take_output
from extdns.commands.output import show_document
from extdns.controller.exit_codes import DONE, FAILED
from extdns.documents.check import CheckDocument, CheckResult, format_check
from extdns.documents.document import VERSION
from extdns.documents.snapshot import count_records
from extdns.errors import ApiError
from extdns.model.plural import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from extdns.config import Config
    from extdns.documents.check import CheckState
    from extdns.documents.plan import PassResult
    from extdns.model.kind import Kind
    from extdns.model.zone import Zone

HELP: Final = """\
Usage: extdns check [flags] [--output=text|json]

Checks everything that extdns needs, with calls that only read:
  - that the API server can be reached and grants each permission that the flags need (SelfSubjectAccessReview),
  - that every kind of object can be listed,
  - that the DNS service accepts the credentials, and lets extdns list and read zones.

Whether a zone can be changed is taken from the service's permission API, or for zone files from the permissions of the
file. Where only a real change could show it, the result is "unknown", with the reason. If no object requests a name,
the result for objects is "unknown", because the filters may be wrong. A flag value that has no effect counts as
missing. Nothing is written. All flags and environment variables of extdns apply.

Exit code: 0 if nothing is missing, otherwise 1.
"""
_STATES: Final[Mapping[bool | None, CheckState]] = {True: "ok", False: "missing", None: "unknown"}


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Check what extdns needs, and show what is missing. Return the exit code.

    Raises:
        UsageError: a flag is wrong, or something that it names cannot be used.
    """
    output, flags = take_output(arguments)
    config = configure_pass(flags, environ)
    result = run_pass(config)
    checks = (
        *_check_flags(config),
        *_check_cluster(config),
        *_check_reads(result),
        *_check_writes(config, [one.zone for one in result.engine.zones]),
    )
    document = CheckDocument(api_version=VERSION, kind="Check", checks=checks)
    show_document(document, format_check(document), output)
    return FAILED if any(one.state == "missing" for one in checks) else DONE


def _check_flags(config: Config) -> Iterator[CheckResult]:
    """Report flag values that have no effect."""
    for warning in config.warnings:
        what, _, remedy = warning.partition("\n")
        yield CheckResult(what=what, state="missing", detail="", next=remedy.strip())


def _check_cluster(config: Config) -> Iterator[CheckResult]:
    """Report the permissions of the service account."""
    if not has_live_cluster(config):
        return
    try:
        for permission, granted in check_cluster_permissions(config, _list_kinds(config)):
            remedy = "" if granted else f"grant {permission} to the service account, as the chart does"
            yield CheckResult(what=f"permission to {permission}", state=_STATES[granted], detail="", next=remedy)
    except ApiError as exc:
        yield CheckResult(
            what="API server", state="missing", detail=str(exc), next="check --kubeconfig, --server, and the network"
        )


def _list_kinds(config: Config) -> list[Kind]:
    """Return the kinds that the sources read from the API server."""
    return [source.kind for source in build_sources(config) if source.name not in SOURCES_WITHOUT_CLUSTER]


def _check_reads(result: PassResult) -> Iterator[CheckResult]:
    """Report the zones and objects that were read, and what could not be read."""
    for zone, counts in sorted(count_records(result.engine).items()):
        counted = f"{format_count(counts.records, 'record')} read, {counts.ours} ours"
        yield CheckResult(what=f"zone {zone}", state="ok", detail=counted, next="")
    if not result.missing and not list(result.engine.zones):
        yield CheckResult(
            what="zones",
            state="missing",
            detail="the credentials are accepted, but no zone passes the filters",
            next="check --domain-filter, --zone-id-filter and the filters of the provider",
        )
    yield _check_objects(result)
    for problem in result.missing:
        yield CheckResult(what="reading", state="missing", detail=problem, next="see the message for what is missing")


def _check_objects(result: PassResult) -> CheckResult:
    """Report how many objects were read. If none requests a name, the filters may be wrong."""
    objects = dict(result.engine.claims.objects())
    read = f"{format_count(len(objects), 'object')} read"
    if any(claims for claims in objects.values()):
        return CheckResult(what="objects", state="ok", detail=read, next="")
    kinds = ", ".join(sorted({kind.name for kind in _list_kinds(result.config)}))
    return CheckResult(
        what="objects",
        state="unknown",
        detail=f"{read}, and none requests a name",
        next=f"kinds that are read: {kinds or 'none'}; check --source, --namespace and the filters of objects",
    )


def _check_writes(config: Config, zones: Iterable[Zone]) -> Iterator[CheckResult]:
    """Report whether each zone can be changed."""
    for zone, grant in check_permissions(config, sorted(zones)):
        what = f"permission to change zone {zone}"
        yield CheckResult(what=what, state=_STATES[grant.granted], detail=grant.detail, next=grant.remedy)
