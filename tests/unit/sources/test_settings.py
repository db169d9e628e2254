"""Which objects the common settings exclude (docs/spec/sources.md 2.2, 2.6, 2.7)."""

from __future__ import annotations

import pytest

from extdns.model.kind import build_ref
from extdns.model.selection import parse_annotation_selector, parse_label_selector
from extdns.resources.core import SERVICE, Service, ServiceSpec
from extdns.sources.common.annotation_names import BOTH_PREFIXES, OLD_PREFIX, PREFIX
from extdns.sources.common.annotations import Annotations
from extdns.sources.common.claim_builder import SourceSettings
from tests.unit.sources.made import settings_with
from tests.unit.sources.samples import meta, ours, service


def left_out_by(selection: SourceSettings, obj: Service) -> str:
    annotations = Annotations.read(obj.metadata.annotations, selection.prefixes)
    return selection.find_exclusion(build_ref(SERVICE, obj.metadata), obj.metadata, annotations)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        pytest.param(settings_with(), "", id="2.6-no-filter"),
        pytest.param(settings_with(namespace="shop"), "", id="2.6-its-namespace"),
        pytest.param(settings_with(namespace="other"), "--namespace", id="2.6-another-namespace"),
        pytest.param(settings_with(label_filter=parse_label_selector("app=web")), "", id="2.7-label"),
        pytest.param(
            settings_with(label_filter=parse_label_selector("app=api")), "--label-filter", id="2.7-other-label"
        ),
        pytest.param(
            settings_with(annotation_filter=parse_annotation_selector("team in (a,b)")), "", id="2.7-annotation"
        ),
        pytest.param(
            settings_with(annotation_filter=parse_annotation_selector("!team")),
            "--annotation-filter",
            id="2.7-other-annotation",
        ),
        pytest.param(
            settings_with(annotation_filter=parse_annotation_selector(f"{PREFIX}ttl=60")),
            "",
            id="2.7-own-annotation-keys",
        ),
    ],
)
def test_a_claim_of_an_excluded_object_names_the_flag_that_excludes_it(
    selection: SourceSettings, expected: str
) -> None:
    obj = Service(metadata=meta("shop/web", {"team": "a"} | ours(ttl="60"), {"app": "web"}))
    assert left_out_by(selection, obj) == expected


def test_a_filter_for_the_absence_of_a_label_includes_objects_without_labels() -> None:
    assert left_out_by(settings_with(label_filter=parse_label_selector("!app")), service(None, ServiceSpec())) == ""


def test_an_object_without_namespace_is_in_the_namespace_default() -> None:
    assert left_out_by(settings_with(namespace="default"), service(None, ServiceSpec(), location="web")) == ""


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param({}, "", id="2.2-absent"),
        pytest.param({PREFIX + "controller": "dns-controller"}, "", id="2.2-ours"),
        pytest.param({PREFIX + "controller": "other"}, f"annotation {PREFIX}controller", id="2.2-another-controller"),
        pytest.param({PREFIX + "controller": ""}, f"annotation {PREFIX}controller", id="2.2-empty"),
        pytest.param({PREFIX + "controller": "Dns-Controller"}, f"annotation {PREFIX}controller", id="2.2-case"),
        pytest.param({OLD_PREFIX + "controller": "x"}, f"annotation {OLD_PREFIX}controller", id="design-5-old-prefix"),
        pytest.param({OLD_PREFIX + "controller": "x", PREFIX + "ttl": "1"}, "", id="design-5-old-beside-new"),
    ],
)
def test_an_object_with_a_controller_annotation_for_another_program_is_excluded(
    annotations: dict[str, str], expected: str
) -> None:
    assert left_out_by(settings_with(prefixes=BOTH_PREFIXES), service(annotations, ServiceSpec())) == expected
