"""TTL, set identifier and properties (docs/spec/sources.md 2.3-2.4)."""

from __future__ import annotations

import pytest

from extdns.model.reason import Reason
from extdns.sources.annotation_names import BOTH_PREFIXES, OLD_PREFIX, PREFIX
from extdns.sources.annotations import Annotations, RecordOptions


def options(annotations: dict[str, str], prefix: str = PREFIX) -> RecordOptions:
    return RecordOptions.read(
        Annotations.read({prefix + name: value for name, value in annotations.items()}, BOTH_PREFIXES)
    )


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param({"hostname": "x", "ttl": "1", "target": "y"}, {}, id="2.4-others-are-ignored"),
        pytest.param({"alias": "true"}, {"alias": "true"}, id="2.3-alias"),
        pytest.param({"alias": "false"}, {}, id="2.3-alias-false"),
        pytest.param({"alias": "A"}, {}, id="11.8-alias-by-type-is-not-honoured"),
        pytest.param({"record-type": ""}, {"record-type": ""}, id="2.3-record-type-any-value"),
        pytest.param({"aws-weight": "10"}, {"aws/weight": "10"}, id="2.4-aws"),
        pytest.param({"aws-made-up": "ä"}, {"aws/made-up": "ä"}, id="2.4-any-suffix-verbatim"),
        pytest.param({"aws-": "x"}, {"aws/": "x"}, id="2.4-even-no-suffix"),
        pytest.param({"aws": "x", "awsome-x": "y", "alias-x": "z", "record-typo": "z"}, {}, id="2.4-near-misses"),
        pytest.param({"scw-priority": "3"}, {"scw/priority": "3"}, id="2.4-scw"),
        pytest.param({"webhook-x-y": "z"}, {"webhook/x-y": "z"}, id="2.4-webhook"),
        pytest.param({"coredns-group": "g"}, {"coredns/group": "g"}, id="2.4-coredns"),
        pytest.param({"azure-tags": "a=b", "azure-other": "c"}, {"azure/tags": "a=b"}, id="2.4-azure-tags-only"),
        pytest.param(
            {"cloudflare-proxied": "true"}, {PREFIX + "cloudflare-proxied": "true"}, id="2.4-cloudflare-whole-key"
        ),
        pytest.param(
            {"cloudflare-proxied-foo": "true"}, {PREFIX + "cloudflare-proxied": "true"}, id="2.4-cloudflare-longer-key"
        ),
        pytest.param(
            {"cloudflare-proxied-foo": "1", "cloudflare-proxied": "2"},
            {PREFIX + "cloudflare-proxied": "2"},
            id="2.4-cloudflare-exact-key-wins",
        ),
        pytest.param({"cloudflare-zone": "x"}, {}, id="2.4-cloudflare-others-are-ignored"),
    ],
)
def test_annotations_for_dns_services_become_properties_of_the_record(
    annotations: dict[str, str], expected: dict[str, str]
) -> None:
    assert dict(options(annotations).properties) == expected


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        *(
            pytest.param(f"{maker}-{key}", f"{maker}/{key}", id=f"2.5-{maker}-{key}")
            for maker, keys in {
                "aws": (
                    "weight",
                    "region",
                    "failover",
                    "geolocation-continent-code",
                    "geolocation-country-code",
                    "geolocation-subdivision-code",
                    "geoproximity-region",
                    "geoproximity-local-zone-group",
                    "geoproximity-coordinates",
                    "geoproximity-bias",
                    "multi-value-answer",
                    "health-check-id",
                    "evaluate-target-health",
                    "target-hosted-zone",
                    "hosted-zone-id",
                ),
                "azure": ("tags",),
                "scw": ("priority",),
                "coredns": ("group",),
            }.items()
            for key in keys
        ),
        *(
            pytest.param(key, PREFIX + key, id=f"2.5-{key}")
            for key in (
                "cloudflare-proxied",
                "cloudflare-custom-hostname",
                "cloudflare-tags",
                "cloudflare-region-key",
                "cloudflare-record-comment",
            )
        ),
    ],
)
def test_each_known_annotation_sets_its_property_unchanged(annotation: str, name: str) -> None:
    assert dict(options({annotation: " As It Is, "}).properties) == {name: " As It Is, "}


@pytest.mark.parametrize("known", ["custom-hostname", "proxied", "region-key", "record-comment", "tags"])
def test_names_of_cloudflare_properties_include_the_annotation_prefix(known: str) -> None:
    found = options({f"cloudflare-{known}": "x"}, OLD_PREFIX)
    assert dict(found.properties) == {f"{OLD_PREFIX}cloudflare-{known}": "x"}


def test_the_properties_of_a_record_are_sorted_by_name() -> None:
    names = [name for name, _ in options({"webhook-b": "", "aws-z": "", "record-type": "", "alias": "true"}).properties]
    assert names == ["alias", "aws/z", "record-type", "webhook/b"]


@pytest.mark.parametrize(
    ("text", "ttl_s", "noticed"),
    [
        pytest.param("60", 60, False, id="2.2-seconds"),
        pytest.param("2m", 120, False, id="2.2-duration"),
        pytest.param("10 minutes", 0, True, id="2.2-unreadable"),
        pytest.param("", 0, True, id="2.2-empty"),
        pytest.param("4294967296", 0, True, id="2.2-out-of-range"),
    ],
)
def test_an_invalid_ttl_is_ignored_with_a_warning(text: str, ttl_s: int, noticed: bool) -> None:
    found = options({"ttl": text})
    assert found.ttl_s == ttl_s
    assert [(warning.reason, warning.field, warning.value) for warning in found.warnings] == (
        [(Reason.INVALID_TTL, f"annotation {PREFIX}ttl", text)] if noticed else []
    )


@pytest.mark.parametrize(
    ("value", "noticed"), [("true", False), ("false", False), ("TRUE", True), ("A", True), ("", True)]
)
def test_a_value_of_the_alias_annotation_other_than_true_or_false_gives_a_warning(value: str, noticed: bool) -> None:
    assert [warning.allowed for warning in options({"alias": value}).warnings] == (["true or false"] if noticed else [])


@pytest.mark.parametrize("value", [pytest.param("blue ", id="2.3-verbatim"), pytest.param("", id="2.3-empty-is-none")])
def test_the_set_identifier_annotation_is_used_unchanged(value: str) -> None:
    assert options({"set-identifier": value}).set_identifier == value


def test_an_object_without_annotations_has_no_ttl_set_identifier_or_properties() -> None:
    assert options({}) == RecordOptions()
