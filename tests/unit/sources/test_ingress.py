"""The ingress source (docs/spec/sources.md 4)."""

from __future__ import annotations

import pytest

from extdns.errors import UsageError
from extdns.model.claim import Claim
from extdns.model.reason import Reason
from extdns.model.selection import parse_annotation_selector
from extdns.ports import Source
from extdns.resources.networking import Ingress
from extdns.sources.common.annotation_names import OLD_PREFIX
from extdns.sources.common.claim_builder import SourceSettings
from extdns.sources.common.claim_stages import WarningStage, warn_about_record_type
from tests.fakes.view import FakeView
from tests.unit.sources.cluster import compute_claims
from tests.unit.sources.expected_claims import excluded, reduce_claims, resolved, unresolved
from tests.unit.sources.made import build_source, settings_with
from tests.unit.sources.samples import PREFIX, ingress, list_resolved_claims, ours

pytestmark = pytest.mark.usefixtures("cluster")

DEFAULTS = settings_with()
SOURCE_KEY = PREFIX + "ingress-hostname-source"


def claims(obj: Ingress, settings: SourceSettings = DEFAULTS) -> tuple[Claim, ...]:
    source: Source = build_source("ingress", settings)
    return compute_claims(source, obj)


def find_fields(claims: tuple[Claim, ...]) -> dict[str, str]:
    """Return the field that requests each published name, annotations without their prefix."""
    return {claim.name: claim.provenance.field.rpartition("/")[2] for claim in list_resolved_claims(claims)}


EXAMPLE = ingress(
    "k8s-1.elb.test",
    rules=["a.acme.test", ""],
    tls=[["a.acme.test", "b.acme.test"], ["", "*.acme.test"]],
    annotations=ours(hostname="c.acme.test"),
    class_name="alb",
)


# docs/spec/sources.md 4.6
def test_an_ingress_publishes_the_hosts_of_its_rules_tls_sections_and_hostname_annotation() -> None:
    found = claims(EXAMPLE)
    assert reduce_claims(found) == [
        resolved(f"{name}.acme.test", "CNAME", "k8s-1.elb.test") for name in ("*", "a", "b", "c")
    ]
    assert find_fields(found) == {
        "*.acme.test": "spec.tls[1].hosts[1]",
        "a.acme.test": "spec.rules[0].host",
        "b.acme.test": "spec.tls[0].hosts[1]",
        "c.acme.test": "hostname",
    }
    assert {claim.desired.resource for claim in list_resolved_claims(found)} == {"ingress/web/app"}


def by_origin(hostname_source: str | None, settings: SourceSettings = DEFAULTS) -> list[str]:
    annotations = ours(hostname="h.t") | ({} if hostname_source is None else {SOURCE_KEY: hostname_source})
    return reduce_claims(claims(ingress("192.0.2.1", rules=["r.t"], tls=[["t.t"]], annotations=annotations), settings))


R, T, H = (resolved(f"{name}.t", "A", "192.0.2.1") for name in "rth")
BY = f"annotation {SOURCE_KEY}"


def test_what_the_hostname_source_annotation_selects_is_computed_once_and_not_for_each_host() -> None:
    class Text(str):
        __slots__ = ()
        steps = 0

        def lower(self) -> str:
            Text.steps += 1
            return super().lower()

    obj = ingress("192.0.2.1", rules=[f"n{number}.t" for number in range(50)], annotations={SOURCE_KEY: Text("x")})
    assert len(build_source("ingress").find_claims(obj, FakeView())) == 50
    assert Text.steps <= 4


def test_the_claims_of_all_hosts_of_an_object_share_what_is_wrong_with_its_annotations() -> None:
    annotations = ours(aws_weight="7", record_type="ptr") | {OLD_PREFIX + "ttl": "9"}
    obj = ingress("lb.t", rules=["a.t", "b.t"], annotations=annotations)
    source = build_source("ingress", stages=(warn_about_record_type, WarningStage(provider="zonefile")))
    first, second = list_resolved_claims(compute_claims(source, obj))
    assert [warning.value for warning in first.warnings] == ["9", "ptr", "7"]
    assert [id(group) for group in first.warning_groups] == [id(group) for group in second.warning_groups]


@pytest.mark.parametrize(
    ("hostname_source", "expected"),
    [
        pytest.param(None, [H, R, T], id="4.3-absent"),
        pytest.param("annotation-only", [H, excluded(BY, "r.t"), excluded(BY, "t.t")], id="4.3-annotation-only"),
        pytest.param("Annotation-Only", [H, excluded(BY, "r.t"), excluded(BY, "t.t")], id="4.3-any-case"),
        pytest.param("defined-hosts-only", [R, T, excluded(BY, "h.t")], id="4.3-defined-hosts-only"),
        pytest.param(
            "bogus",
            [unresolved(f"{name}.t", Reason.INVALID_ANNOTATION) for name in "hrt"],
            id="4.3-bogus-publishes-nothing",
        ),
        pytest.param(
            "", [unresolved(f"{name}.t", Reason.INVALID_ANNOTATION) for name in "hrt"], id="4.3-empty-publishes-nothing"
        ),
    ],
)
def test_the_hostname_source_annotation_selects_hosts_of_the_spec_or_of_annotations(
    hostname_source: str | None, expected: list[str]
) -> None:
    assert by_origin(hostname_source) == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param(
            settings_with(ignore_ingress_rules_spec=True),
            [H, T, "r.t: excluded by --ignore-ingress-rules-spec"],
            id="4.3-rules",
        ),
        pytest.param(
            settings_with(ignore_ingress_tls_spec=True),
            [H, R, "t.t: excluded by --ignore-ingress-tls-spec"],
            id="4.3-tls",
        ),
        pytest.param(
            settings_with(ignore_hostname_annotation=True),
            [R, T, "h.t: excluded by --ignore-hostname-annotation"],
            id="4.3-annotation",
        ),
    ],
)
def test_flags_exclude_the_hosts_of_rules_tls_sections_or_the_hostname_annotation_of_an_ingress(
    settings: SourceSettings, expected: list[str]
) -> None:
    assert by_origin(None, settings) == expected


# docs/spec/sources.md 4.3
def test_a_host_in_rules_and_tls_is_published_as_tls_host_if_rules_are_ignored() -> None:
    obj = ingress("192.0.2.1", rules=["a.t"], tls=[["a.t"]])
    assert find_fields(claims(obj, settings_with(ignore_ingress_rules_spec=True))) == {"a.t": "spec.tls[0].hosts[0]"}


@pytest.mark.parametrize(
    ("points", "annotations", "expected"),
    [
        pytest.param(["192.0.2.1"], {}, ["a.t A 192.0.2.1"], id="4.2-ip"),
        pytest.param(["lb.t"], {}, ["a.t CNAME lb.t"], id="4.2-hostname"),
        pytest.param(
            ["192.0.2.1", "2001:db8::1", "192.0.2.2"],
            {},
            ["a.t A 192.0.2.1, 192.0.2.2", "a.t AAAA 2001:db8::1"],
            id="4.5-families-follow-the-addresses",
        ),
        pytest.param(["192.0.2.1"], ours(target="x.t"), ["a.t CNAME x.t"], id="4.2-target-annotation"),
        pytest.param([], ours(target="x.t"), ["a.t CNAME x.t"], id="4.2-target-annotation-without-status"),
        pytest.param(["192.0.2.1"], ours(target=""), ["a.t A 192.0.2.1"], id="4.2-empty-target-annotation"),
        pytest.param([], {}, ["a.t: no-address"], id="4.4-no-address-yet"),
    ],
)
def test_targets_of_an_ingress_come_from_its_target_annotation_or_its_status(
    points: list[str], annotations: dict[str, str], expected: list[str]
) -> None:
    assert reduce_claims(claims(ingress(*points, rules=["a.t"], annotations=annotations))) == expected


# docs/spec/sources.md 4.5
def test_alias_ttl_and_set_identifier_annotations_apply_to_every_record_of_an_ingress() -> None:
    obj = ingress("lb.t", "192.0.2.1", rules=["a.t"], annotations=ours(alias="true", ttl="60", set_identifier="blue"))
    assert {
        (claim.desired.properties, claim.desired.ttl_s, claim.set_identifier)
        for claim in list_resolved_claims(claims(obj))
    } == {((("alias", "true"),), 60, "blue")}


LEGACY = {"kubernetes.io/ingress.class": "nginx"}


@pytest.mark.parametrize(
    ("class_name", "annotations", "classes", "selected"),
    [
        pytest.param(None, {}, (), True, id="4.1-no-filter"),
        pytest.param("nginx", {}, ("alb", "nginx"), True, id="4.1-any-of-the-classes"),
        pytest.param("alb", LEGACY, ("nginx",), False, id="4.1-legacy-annotation-is-ignored-beside-the-field"),
        pytest.param("alb", LEGACY, ("alb",), True, id="4.1-the-field-counts"),
        pytest.param(None, LEGACY, ("nginx",), True, id="4.1-legacy-annotation"),
        pytest.param("", LEGACY, ("nginx",), True, id="4.1-legacy-annotation-beside-an-empty-field"),
        pytest.param(None, LEGACY, ("alb",), False, id="4.1-another-legacy-annotation"),
        pytest.param(None, {}, ("nginx",), False, id="4.1-no-class"),
    ],
)
def test_the_ingress_class_flag_selects_ingresses_by_class_or_class_annotation(
    class_name: str | None, annotations: dict[str, str], classes: tuple[str, ...], selected: bool
) -> None:
    obj = ingress("192.0.2.1", rules=["a.t"], annotations=annotations, class_name=class_name)
    found = reduce_claims(claims(obj, settings_with(ingress_class=classes)))
    assert found == (["a.t A 192.0.2.1"] if selected else ["excluded by --ingress-class"])


# docs/spec/sources.md 2.1
def test_the_ingress_class_annotation_is_read_whatever_the_annotation_prefix_flag_says() -> None:
    settings = settings_with(prefixes=("acme.test/",), ingress_class=("nginx",))
    found = claims(ingress("192.0.2.1", rules=["r.t"], annotations=LEGACY), settings)
    assert reduce_claims(found) == ["r.t A 192.0.2.1"]


# docs/spec/sources.md 4.1
def test_the_ingress_class_flag_cannot_be_combined_with_an_annotation_filter_on_the_class() -> None:
    selection = settings_with(annotation_filter=parse_annotation_selector("kubernetes.io/ingress.class in (alb)"))
    with pytest.raises(
        UsageError, match=r"--ingress-class and an --annotation-filter on kubernetes\.io/ingress\.class"
    ):
        build_source("ingress", settings_with(selection, ingress_class=("alb",)))


# docs/spec/sources.md 4.1
@pytest.mark.parametrize("name", ["a b", "a/b", "x" * 64])
def test_an_invalid_ingress_class_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match=f"--ingress-class={name} is not a class\n  allowed: "):
        build_source("ingress", settings_with(ingress_class=("alb", name)))
