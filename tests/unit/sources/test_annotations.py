"""Annotations: prefixes and lists (docs/spec/sources.md 2.1-2.2, docs/design/differences.md)."""

from __future__ import annotations

import msgspec
import pytest

from extdns.app.sources import build_sources
from extdns.config import parse
from extdns.model.reason import Reason
from extdns.sources.common.annotation_names import BOTH_PREFIXES, OLD_PREFIX, PREFIX, find_misspelled_keys
from extdns.sources.common.annotations import Annotations, RecordOptions
from tests.unit.sources.made import DEFAULTS, settings_with
from tests.unit.sources.samples import meta


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param("", (PREFIX, OLD_PREFIX), id="design-5-flag-not-given"),
        pytest.param(f"--annotation-prefix={OLD_PREFIX}", (OLD_PREFIX,), id="2.1-only-the-given-prefix"),
        pytest.param("--annotation-prefix=a.test/", ("a.test/",), id="2.1-own-prefix"),
        pytest.param("--compat --policy=sync", (PREFIX,), id="compat"),
        pytest.param(
            "--annotation-prefix=a.test/ --enable-legacy-annotation-prefix", ("a.test/", OLD_PREFIX), id="and-legacy"
        ),
        pytest.param(
            "--compat --policy=sync --enable-legacy-annotation-prefix", (PREFIX, OLD_PREFIX), id="compat-and-legacy"
        ),
    ],
)
def test_the_flags_about_prefixes_select_which_are_read(arguments: str, expected: tuple[str, ...]) -> None:
    config = parse(["--source=service", "--provider=inmemory", *arguments.split()], {})
    assert build_sources(config)[0].settings.prefixes == expected


@pytest.mark.parametrize(
    ("annotations", "accepted", "expected"),
    [
        pytest.param(None, BOTH_PREFIXES, {}, id="none-at-all"),
        pytest.param({"a/hostname": "x"}, BOTH_PREFIXES, {}, id="2.1-other-prefixes-are-ignored"),
        pytest.param({PREFIX + "hostname": "x"}, BOTH_PREFIXES, {"hostname": "x"}, id="design-5-new"),
        pytest.param({OLD_PREFIX + "hostname": "x"}, BOTH_PREFIXES, {"hostname": "x"}, id="design-5-old"),
        pytest.param(
            {OLD_PREFIX + "hostname": "x", PREFIX + "ttl": "1"}, BOTH_PREFIXES, {"ttl": "1"}, id="design-5-new-only"
        ),
        pytest.param({OLD_PREFIX + "hostname": "x"}, (PREFIX,), {}, id="2.1-flag-given-no-fallback"),
        pytest.param(
            {OLD_PREFIX + "hostname": "x", PREFIX + "ttl": "1"}, (OLD_PREFIX,), {"hostname": "x"}, id="2.1-given-old"
        ),
    ],
)
def test_annotations_are_read_under_the_first_accepted_prefix_that_the_object_uses(
    annotations: dict[str, str] | None, accepted: tuple[str, ...], expected: dict[str, str]
) -> None:
    assert Annotations.read(annotations, accepted).values == expected


def test_annotations_with_the_old_prefix_give_warnings_if_the_object_also_uses_the_new_prefix() -> None:
    annotations = Annotations.read(
        {OLD_PREFIX + "ttl": "1", OLD_PREFIX + "alias": "true", PREFIX + "hostname": "x", PREFIX + "ttl": "2"},
        BOTH_PREFIXES,
    )
    assert [(warning.field, warning.value, warning.reason) for warning in annotations.find_warnings()] == [
        (f"annotation {OLD_PREFIX}alias", "true", Reason.IGNORED_ANNOTATION),
        (f"annotation {OLD_PREFIX}ttl", "1", Reason.INVALID_ANNOTATION),
    ]
    assert "external-dns.kubernetes.io/" in annotations.find_warnings()[0].allowed


def test_an_object_has_at_most_64_warnings_about_its_annotations() -> None:
    annotations = {PREFIX + "ttl": "1"} | {f"{OLD_PREFIX}{number:04}": "" for number in range(1000)}
    found = Annotations.read(annotations, BOTH_PREFIXES).find_warnings()
    assert [warning.field for warning in found] == [f"annotation {OLD_PREFIX}{number:04}" for number in range(64)]


@pytest.mark.parametrize(
    "accepted", [pytest.param((PREFIX,), id="new-given"), pytest.param((OLD_PREFIX,), id="old-given")]
)
def test_if_the_annotation_prefix_flag_is_set_annotations_with_other_prefixes_give_no_warnings(
    accepted: tuple[str, ...],
) -> None:
    assert Annotations.read({OLD_PREFIX + "ttl": "1", PREFIX + "ttl": "x"}, accepted).find_warnings() == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("web.acme.test, www.acme.test", ("web.acme.test", "www.acme.test"), id="2.2-blank-after-comma"),
        pytest.param("a.t b.t", ("a.t b.t",), id="blanks-inside-stay"),
        pytest.param("\ta.t\n", ("a.t",), id="2.2-other-blanks-at-the-ends"),
        pytest.param("a.t,\nb.t", ("a.t", "b.t"), id="2.2-one-per-line"),
        pytest.param("", (), id="11.1-empty"),
        pytest.param("a.t,", ("a.t",), id="11.1-empty-item"),
        pytest.param(" , \t,", (), id="11.1-nothing-but-blanks"),
    ],
)
def test_list_annotations_are_split_at_commas_and_blanks_around_items_are_removed(
    text: str, expected: tuple[str, ...]
) -> None:
    assert Annotations.read({PREFIX + "hostname": text}, BOTH_PREFIXES).get_list("hostname") == expected


def test_with_compat_all_spaces_of_a_list_are_removed() -> None:
    settings = settings_with(compat=True)
    annotations = settings.read_annotations(meta("ns/x", {PREFIX + "hostname": "w eb.acme.test"}))
    assert annotations.get_list("hostname") == ("web.acme.test",)


@pytest.mark.parametrize(
    ("name", "value", "warnings"),
    [
        pytest.param("access", "public", [], id="2.3-allowed"),
        pytest.param("access", "Public", ["public or private"], id="2.3-case-matters"),
        pytest.param("access", "", ["public or private"], id="2.3-empty"),
        pytest.param("alias", "false", [], id="2.3-alias"),
        pytest.param("alias", "A", ["true or false"], id="2.3-alias-by-type"),
    ],
)
def test_a_value_of_an_annotation_that_is_not_allowed_is_ignored_with_a_warning(
    name: str, value: str, warnings: list[str]
) -> None:
    annotations = Annotations.read({PREFIX + name: value}, BOTH_PREFIXES)
    assert annotations.get_choice(name) == ("" if warnings else value)
    assert [warning.allowed for warning in annotations.find_warnings()] == warnings


def test_an_empty_target_annotation_gives_a_warning() -> None:
    (warning,) = Annotations.read({PREFIX + "target": ""}, BOTH_PREFIXES).find_warnings()
    assert (warning.reason, warning.field) == (Reason.INVALID_ANNOTATION, f"annotation {PREFIX}target")
    assert "the targets are those of the object" in warning.allowed


def test_an_annotation_of_extdns_among_the_labels_gives_a_warning() -> None:
    labelled = msgspec.structs.replace(meta("ns/x", {}), labels={PREFIX + "hostname": "a.t", "app": "web"})
    (warning,) = DEFAULTS.read_annotations(labelled).find_warnings()
    assert (warning.reason, warning.field) == (Reason.IGNORED_ANNOTATION, "metadata.labels")
    assert warning.allowed == f"{PREFIX}hostname among metadata.annotations; labels are not read"


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        pytest.param(f"{OLD_PREFIX}hostnames", f"{OLD_PREFIX}hostname", id="name"),
        pytest.param(f"{PREFIX}aws-wieght", f"{PREFIX}aws-weight", id="name for a provider"),
        pytest.param("exteranl-dns.alpha.kubernetes.io/ttl", f"{OLD_PREFIX}ttl", id="prefix"),
        pytest.param("externaldns.kubernetes.io/hostnames", f"{PREFIX}hostname", id="prefix and name"),
        pytest.param("hostname", f"{PREFIX}hostname", id="no prefix"),
    ],
)
def test_a_misspelt_annotation_key_gives_a_warning_that_shows_the_right_key(key: str, meant: str) -> None:
    (warning,) = Annotations.read({key: "x"}, BOTH_PREFIXES).find_warnings()
    assert (warning.reason, warning.field) == (Reason.IGNORED_ANNOTATION, "metadata.annotations")
    assert (warning.value, warning.allowed) == (key, f"the key {meant}")


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(f"{PREFIX}unknown", id="unlike any name"),
        pytest.param(f"{PREFIX}scw-weights", id="free text of a provider"),
        pytest.param("internal-dns.kubernetes.io/hostname", id="prefix of another installation"),
        pytest.param("kubernetes.io/ingress.class", id="another program"),
        pytest.param("target", id="no prefix, and a name that other programs use"),
    ],
)
def test_a_key_that_another_program_may_read_gives_no_warning(key: str) -> None:
    assert Annotations.read({key: "x"}, BOTH_PREFIXES).find_warnings() == ()


def test_a_hostname_without_prefix_beside_ours_gives_no_warning() -> None:
    assert Annotations.read({"hostname": "x", PREFIX + "hostname": "a.t"}, BOTH_PREFIXES).find_warnings() == ()


def test_of_thousands_of_keys_only_64_are_compared_with_known_ones_which_takes_time() -> None:
    keys = frozenset(f"{PREFIX}hostname{number}" for number in range(5000))
    assert len(find_misspelled_keys(keys, PREFIX)) <= 64


# TTL, set identifier and properties (docs/spec/sources.md 2.3-2.4)


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
        pytest.param({"aws-made-up": " ä, "}, {"aws/made-up": " ä, "}, id="2.4-any-suffix-verbatim"),
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


@pytest.mark.parametrize("value", [pytest.param("blue ", id="2.3-verbatim"), pytest.param("", id="2.3-empty-is-none")])
def test_the_set_identifier_annotation_is_used_unchanged(value: str) -> None:
    assert options({"set-identifier": value}).set_identifier == value
