"""Warnings about what leaves nothing to plan, or does not fit what was found (docs/design/messages.md)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from extdns.config import parse
from extdns.documents.scope_warnings import find_scope_warnings
from extdns.engine.scope import PassScope, measure_scope
from extdns.model.claim import ExcludedClaim
from extdns.model.dns_name import DnsName
from extdns.model.selection import DomainFilter
from tests.builders import PLAN, build_claim, host, observe, ref
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
ZONEFILE = ("--provider=zonefile", "--zonefile-dir=zones", "--manifests=shop")


def warn(scope: PassScope, *flags: str) -> list[tuple[str, str, bool]]:
    provider = flags if any(flag.startswith("--provider") for flag in flags) else (*ZONEFILE, *flags)
    config = parse(["--source=service", "--txt-owner-id=me", *provider], {})
    return [(one.text, one.next, one.leaves_nothing) for one in find_scope_warnings(config, scope)]


def test_no_warning_is_given_if_the_settings_fit_the_zones_and_objects() -> None:
    assert warn(SCOPE) == []


def test_the_warning_about_a_misspelt_domain_filter_names_the_zones_and_the_closest_one() -> None:
    assert warn(SCOPE, "--domain-filter=shop.exmaple") == [
        (
            "--domain-filter=shop.exmaple matches none of your zones: shop.example",
            "did you mean: --domain-filter=shop.example",
            True,
        )
    ]


def test_a_misspelt_domain_filter_is_also_compared_with_zones_excluded_by_it() -> None:
    scope = replace(NO_ZONE, excluded_zones=("shop.example", "test.example"))
    assert warn(scope, "--provider=aws", "--domain-filter=shop.exmaple") == [
        (
            "--domain-filter=shop.exmaple matches none of your zones: shop.example, test.example",
            "did you mean: --domain-filter=shop.example",
            True,
        )
    ]


def test_if_one_of_two_domain_filters_matches_no_zone_the_warning_suggests_to_correct_it() -> None:
    (warning,) = warn(SCOPE, "--domain-filter=shop.example", "--domain-filter=org.test")
    assert warning == (
        "--domain-filter=org.test matches none of your zones: shop.example",
        "give the name of a zone or of a domain in it",
        False,
    )


@pytest.mark.parametrize("domain", ["example", ".shop.example", "eu.shop.example", "SHOP.example."])
def test_a_domain_filter_matches_zones_below_its_domain_and_the_zone_above_it(domain: str) -> None:
    assert warn(SCOPE, f"--domain-filter={domain}") == []


def test_a_warning_lists_at_most_five_zones() -> None:
    scope = replace(SCOPE, zones=tuple(f"z{number}.example" for number in range(7)))
    ((text, _, _),) = warn(scope, "--domain-filter=org.test")
    assert text.endswith("zones: z0.example, z1.example, z2.example, z3.example, z4.example and 2 more")


@pytest.mark.parametrize(
    ("flags", "scope", "text", "remedy"),
    [
        pytest.param(
            ZONEFILE,
            NO_ZONE,
            "--zonefile-dir=zones holds no zone file",
            "allowed: files named NAME.zone or db.NAME, each with an SOA record; extdns creates no zone files",
            id="zonefile",
        ),
        pytest.param(
            ("--provider=inmemory",),
            NO_ZONE,
            "there is no zone",
            "give --inmemory-zone=NAME, such as example.org",
            id="inmemory",
        ),
        pytest.param(
            ("--provider=aws",),
            NO_ZONE,
            "there is no zone: the service accepts the credentials, and lists no zone",
            "create the zone first, or use the credentials of the account that has it",
            id="aws",
        ),
        pytest.param(
            ("--provider=aws", "--aws-zone-type=private"),
            replace(NO_ZONE, excluded_zones=("shop.example",)),
            "the filters exclude every zone that was found: shop.example",
            "check --aws-zone-type=private",
            id="zone filter",
        ),
    ],
)
def test_a_warning_is_given_if_no_zone_is_left(
    flags: tuple[str, ...], scope: PassScope, text: str, remedy: str
) -> None:
    assert warn(scope, *flags) == [(text, remedy, True)]


def test_no_warning_is_given_about_missing_zones_if_zones_could_not_be_listed() -> None:
    assert warn(replace(NO_ZONE, knows_zones=False), "--domain-filter=shop.exmaple") == []


def test_a_warning_names_the_path_and_the_sources_if_no_object_was_read() -> None:
    scope = replace(SCOPE, objects=0, requests_names=False)
    assert warn(scope) == [
        (
            "no object was read from --manifests=shop for --source=service",
            "check the path and --source; in a folder, files that end in .yaml, .yml or .json are read",
            True,
        )
    ]
    assert warn(scope, "--provider=inmemory", "--namespace=shop") == [
        ("no object was read from the cluster for --source=service", "check --source, and --namespace=shop", True)
    ]


def test_no_warning_is_given_about_missing_objects_if_some_objects_could_not_be_read() -> None:
    assert warn(replace(SCOPE, objects=0, requests_names=False, knows_objects=False)) == []


def test_no_warning_is_given_about_missing_objects_for_a_source_that_reads_none() -> None:
    scope = replace(SCOPE, objects=0, requests_names=False)
    config = parse(["--source=empty", "--provider=inmemory", "--txt-owner-id=me"], {})
    assert find_scope_warnings(config, scope) == ()


def test_a_warning_is_given_if_objects_were_read_and_none_requests_a_name() -> None:
    ((text, remedy, leaves_nothing),) = warn(replace(SCOPE, requests_names=False))
    assert text == "2 objects were read, and none requests a name"
    assert remedy.endswith("to see why an object requests none: extdns explain KIND/NAMESPACE/NAME [flags]")
    assert not leaves_nothing


def test_if_flags_exclude_what_objects_request_the_warning_names_them() -> None:
    scope = replace(SCOPE, requests_names=False, excluding_flags=("--label-filter", "--publish-internal-services"))
    ((text, remedy, leaves_nothing),) = warn(scope)
    assert text == (
        "2 objects were read, and no requested name is left: "
        "some objects or names are excluded by --label-filter, --publish-internal-services"
    )
    assert remedy == (
        "change --label-filter, or the object; add --publish-internal-services; "
        "to see why an object requests none: extdns explain KIND/NAMESPACE/NAME [flags]"
    )
    assert not leaves_nothing


def test_the_scope_of_a_pass_lists_the_flags_that_exclude_objects_only_if_no_object_requests_a_name() -> None:
    excluded = (
        observe("api", ExcludedClaim(ref=ref("api"), excluded_by="--label-filter")),
        observe("mail", ExcludedClaim(ref=ref("mail"), excluded_by="--label-filter", name=host("mail"))),
        observe("www", ExcludedClaim(ref=ref("www"), excluded_by="spec.parentRefs: there is no Gateway")),
    )
    assert measure_scope(start_dry(first=excluded).engine).excluding_flags == ("--label-filter",)
    assert measure_scope(start_dry(first=[REQUESTED, *excluded]).engine).excluding_flags == ()


def test_warnings_name_at_most_five_documents_that_are_no_kubernetes_objects() -> None:
    found = warn(replace(SCOPE, ignored_documents=tuple(f"values{number}.yaml:1: no kind" for number in range(7))))
    assert [text for text, _, _ in found[3:]] == [
        "values3.yaml:1: no kind",
        "values4.yaml:1: no kind; likewise 2 other documents",
    ]
    assert {(remedy, nothing) for _, remedy, nothing in found} == {
        ("add apiVersion and kind, or keep the file in another folder", False)
    }


def test_a_warning_names_the_filters_if_they_exclude_every_requested_name() -> None:
    scope = replace(SCOPE, excluded_names=("web.shop.example",))
    assert warn(scope, "--exclude-domains=shop.example") == [
        (
            "the filters exclude every requested name: web.shop.example",
            "check --exclude-domains=shop.example",
            True,
        )
    ]


@pytest.mark.parametrize(
    ("excluded", "names"), [("example.org", ("mail.example.org", "web.example.org")), ("web.example.org", ())]
)
def test_the_scope_of_a_pass_lists_excluded_names_only_if_all_requested_names_are_excluded(
    excluded: str, names: tuple[str, ...]
) -> None:
    mail = observe("mail", build_claim("mail", "mail"))
    plan = replace(PLAN, domains=DomainFilter(exclude=(DnsName(excluded),)))
    world = start_dry(first=[REQUESTED, mail], plan=plan)
    scope = measure_scope(world.engine)
    assert scope.excluded_names == names
    assert (scope.objects, scope.requests_names, scope.knows_objects) == (2, True, True)
