"""Warnings about what leaves nothing to plan, or does not fit what was found (docs/design/messages.md)."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from extdns.config import parse
from extdns.documents.scope_warnings import find_plan_warnings, find_scope_warnings
from extdns.engine.scope import PassScope, measure_scope
from extdns.model.claim import ExcludedClaim
from extdns.model.dns_name import DnsName
from extdns.model.reason import Reason
from extdns.model.selection import DomainFilter
from tests.builders import PLAN, build_claim, build_unresolved, host, observe, ref
from tests.unit.documents.cases import REQUESTED, start_dry

SCOPE = PassScope(
    zones=("shop.example",),
    excluded_zones=(),
    knows_zones=True,
    objects=2,
    knows_objects=True,
    requests_names=True,
    excluded_names=(),
)
NO_ZONE = replace(SCOPE, zones=())
NO_NAME = replace(SCOPE, requests_names=False)
NO_OBJECT = replace(NO_NAME, objects=0)
EXPLAIN = "to see why an object requests none: extdns explain KIND/NAMESPACE/NAME [flags]"


def warn(scope: PassScope, flags: str = "", source: str = "service") -> list[tuple[str, str, bool]]:
    provider = "" if "--provider" in flags else "--provider=zonefile --zonefile-dir=zones --manifests=shop"
    config = parse([f"--source={source}", "--txt-owner-id=me", *provider.split(), *flags.split()], {})
    return [(one.text, one.next, one.leaves_nothing) for one in find_scope_warnings(config, scope)]


@pytest.mark.parametrize(
    ("scope", "flags", "text", "remedy", "leaves_nothing"),
    [
        pytest.param(
            replace(NO_ZONE, excluded_zones=("shop.example", "test.example")),
            "--provider=aws --domain-filter=shop.exmaple",
            "--domain-filter=shop.exmaple matches none of your zones: shop.example, test.example",
            "did you mean: --domain-filter=shop.example",
            True,
            id="misspelt domain filter that excludes every zone",
        ),
        pytest.param(
            replace(SCOPE, zones=("example.com",)),
            "--domain-filter=retailstore.com",
            "--domain-filter=retailstore.com matches none of your zones: example.com",
            "give the name of a zone or of a domain in it",
            True,
            id="domain filter with the same last label",
        ),
        pytest.param(
            SCOPE,
            "--domain-filter=shop.example --domain-filter=org.test",
            "--domain-filter=org.test matches none of your zones: shop.example",
            "give the name of a zone or of a domain in it",
            False,
            id="one of two domain filters",
        ),
        pytest.param(
            replace(SCOPE, zones=tuple(f"z{number}.example" for number in range(7))),
            "--domain-filter=org.test",
            "--domain-filter=org.test matches none of your zones: "
            "z0.example, z1.example, z2.example, z3.example, z4.example and 2 more",
            "give the name of a zone or of a domain in it",
            True,
            id="many zones",
        ),
        pytest.param(
            NO_ZONE,
            "--provider=inmemory",
            "there is no zone",
            "give --inmemory-zone=NAME, such as example.org",
            True,
            id="no zone in inmemory",
        ),
        pytest.param(
            NO_ZONE,
            "--provider=aws",
            "there is no zone: the service accepts the credentials, and lists no zone",
            "create the zone first, or use the credentials of the account that has it",
            True,
            id="no zone in aws",
        ),
        pytest.param(
            replace(NO_ZONE, excluded_zones=("shop.example",)),
            "--provider=aws --aws-zone-type=private",
            "the filters exclude every zone that was found: shop.example",
            "check --aws-zone-type=private",
            True,
            id="zone filter",
        ),
        pytest.param(
            NO_OBJECT,
            "",
            "no object was read from --manifests=shop for --source=service",
            "check the path and --source; in a folder, files that end in .yaml, .yml or .json are read",
            True,
            id="no object in a folder",
        ),
        pytest.param(
            NO_OBJECT,
            "--provider=inmemory --namespace=shop",
            "no object was read from the cluster for --source=service",
            "check --source, and --namespace=shop",
            True,
            id="no object in a cluster",
        ),
        pytest.param(
            replace(NO_NAME, excluding_flags=("--label-filter", "--publish-internal-services")),
            "",
            "2 objects were read, and no requested name is left: "
            "some objects or names are excluded by --label-filter, --publish-internal-services",
            f"change --label-filter, or the object; add --publish-internal-services; {EXPLAIN}",
            True,
            id="excluded objects",
        ),
        pytest.param(
            replace(NO_NAME, excluding_flags=("--publish-internal-services",)),
            "",
            "2 objects were read, and no requested name is left: "
            "some objects or names are excluded by --publish-internal-services",
            f"add --publish-internal-services; {EXPLAIN}",
            False,
            id="objects that no filter excludes",
        ),
        pytest.param(
            replace(SCOPE, excluded_names=("web.shop.example",)),
            "--exclude-domains=shop.example",
            "the filters exclude every requested name: web.shop.example",
            "check --exclude-domains=shop.example",
            True,
            id="name filter",
        ),
    ],
)
def test_a_warning_names_what_does_not_fit_and_what_to_do(
    scope: PassScope, flags: str, text: str, remedy: str, leaves_nothing: bool
) -> None:
    assert warn(scope, flags) == [(text, remedy, leaves_nothing)]


@pytest.mark.parametrize(
    ("flags", "ways"),
    [
        pytest.param("--source=service", "the annotation external-dns.kubernetes.io/hostname", id="annotation"),
        pytest.param(
            "--source=ingress --annotation-prefix=dns.corp/",
            "the annotation dns.corp/hostname, or by a host of an Ingress",
            id="prefix",
        ),
        pytest.param("--source=crd", "spec.endpoints of a DNSEndpoint", id="no annotation"),
        pytest.param(
            "--source=crd --source=gateway-httproute --compat --policy=sync",
            "the annotation external-dns.kubernetes.io/hostname, or by spec.endpoints of a DNSEndpoint, "
            "or by spec.hostnames of HTTPRoutes",
            id="several sources",
        ),
    ],
)
def test_the_hint_how_to_request_a_name_has_the_prefix_and_the_fields_that_the_chosen_sources_read(
    flags: str, ways: str
) -> None:
    config = parse(["--provider=inmemory", *flags.split()], {})
    (found,) = find_scope_warnings(config, NO_NAME)
    assert found.next == f"a name is requested by {ways}; {EXPLAIN}"


@pytest.mark.parametrize(
    ("scope", "flags", "source"),
    [
        pytest.param(SCOPE, "", "service", id="all fits"),
        pytest.param(SCOPE, "--domain-filter=example", "service", id="domain above the zone"),
        pytest.param(SCOPE, "--domain-filter=.shop.example", "service", id="names below the zone"),
        pytest.param(SCOPE, "--domain-filter=eu.shop.example", "service", id="domain in the zone"),
        pytest.param(SCOPE, "--domain-filter=SHOP.example.", "service", id="zone in another spelling"),
        pytest.param(replace(NO_ZONE, knows_zones=False), "--domain-filter=x.test", "service", id="unlisted zones"),
        pytest.param(replace(NO_OBJECT, knows_objects=False), "", "service", id="unread objects"),
        pytest.param(NO_OBJECT, "", "empty", id="source that reads none"),
    ],
)
def test_no_warning_is_given_if_the_settings_fit_or_not_all_is_known(scope: PassScope, flags: str, source: str) -> None:
    assert warn(scope, flags, source) == []


def test_warnings_name_at_most_five_documents_that_are_no_kubernetes_objects() -> None:
    found = warn(
        replace(SCOPE, ignored_documents=tuple(f"values{number}.yaml:1: no kind; add one" for number in range(7)))
    )
    assert [text for text, _, _ in found[3:]] == [
        "values3.yaml:1: no kind",
        "values4.yaml:1: no kind; likewise 2 other documents",
    ]
    assert {(remedy, nothing) for _, remedy, nothing in found} == {("add one", False)}


@pytest.mark.parametrize("reason", [Reason.NO_ADDRESS, Reason.NOT_ACCEPTED])
def test_a_plan_of_manifests_warns_that_requests_wait_for_a_status_which_git_does_not_have(reason: Reason) -> None:
    scope = measure_scope(start_dry(first=[observe("web", build_unresolved("web", "web", reason))]).engine)
    config = parse(["--source=service", "--provider=inmemory"], {})
    assert find_plan_warnings(config, scope) == ()
    (found,) = find_plan_warnings(
        dataclasses.replace(config, cluster=config.cluster.replace(manifests=("shop",))), scope
    )
    assert found.text == (
        "no change can be planned for 1 request: the manifests have no status with an address or acceptance"
    )
    assert not found.leaves_nothing


# What a pass finds


def test_the_scope_of_a_pass_lists_the_flags_that_exclude_objects_only_if_no_object_requests_a_name() -> None:
    excluded = (
        observe("api", ExcludedClaim(ref=ref("api"), excluded_by="--label-filter")),
        observe("mail", ExcludedClaim(ref=ref("mail"), excluded_by="--label-filter", name=host("mail"))),
        observe("www", ExcludedClaim(ref=ref("www"), excluded_by="spec.parentRefs: there is no Gateway")),
    )
    assert measure_scope(start_dry(first=excluded).engine).excluding_flags == ("--label-filter",)
    assert measure_scope(start_dry(first=[REQUESTED, *excluded]).engine).excluding_flags == ()


@pytest.mark.parametrize(
    ("excluded", "names"), [("example.org", ("mail.example.org", "web.example.org")), ("web.example.org", ())]
)
def test_the_scope_of_a_pass_lists_excluded_names_only_if_all_requested_names_are_excluded(
    excluded: str, names: tuple[str, ...]
) -> None:
    mail = observe("mail", build_claim("mail", "mail"))
    plan = replace(PLAN, domains=DomainFilter(exclude=(DnsName(excluded),)))
    scope = measure_scope(start_dry(first=[REQUESTED, mail], plan=plan).engine)
    assert scope.excluded_names == names
    assert (scope.objects, scope.requests_names, scope.knows_objects) == (2, True, True)
