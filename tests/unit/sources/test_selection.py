"""Which objects are looked at (spec sources 2.2, 2.6, 2.7)."""

from __future__ import annotations

import pytest

from extdns.model.objects import SERVICE, Service, ServiceSpec, ref_of
from extdns.model.selector import parse_annotation_selector, parse_label_selector
from extdns.sources.annotations import BOTH, OLD_PREFIX, PREFIX, Annotations
from extdns.sources.selection import Selection
from tests.unit.sources.samples import meta, ours, service


def left_out_by(selection: Selection, obj: Service) -> str:
    notes = Annotations.of(obj.metadata.annotations, selection.prefixes)
    return selection.left_out_by(ref_of(SERVICE, obj), obj.metadata, notes)


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        pytest.param(Selection(), "", id="2.6-nothing-set"),
        pytest.param(Selection(namespace="shop"), "", id="2.6-its-namespace"),
        pytest.param(Selection(namespace="other"), "--namespace", id="2.6-another-namespace"),
        pytest.param(Selection(label_filter=parse_label_selector("app=web")), "", id="2.7-label"),
        pytest.param(Selection(label_filter=parse_label_selector("app=api")), "--label-filter", id="2.7-other-label"),
        pytest.param(Selection(annotation_filter=parse_annotation_selector("team in (a,b)")), "", id="2.7-annotation"),
        pytest.param(
            Selection(annotation_filter=parse_annotation_selector("!team")),
            "--annotation-filter",
            id="2.7-other-annotation",
        ),
        pytest.param(
            Selection(annotation_filter=parse_annotation_selector(f"{PREFIX}ttl=60")), "", id="2.7-our-own-keys-too"
        ),
    ],
)
def test_filters_name_themselves(selection: Selection, expected: str) -> None:
    obj = Service(metadata=meta("shop/web", {"team": "a"} | ours(ttl="60"), {"app": "web"}))
    assert left_out_by(selection, obj) == expected


def test_an_object_without_labels_meets_a_label_filter() -> None:
    assert left_out_by(Selection(label_filter=parse_label_selector("!app")), service(None, ServiceSpec())) == ""


def test_no_namespace_means_default() -> None:
    assert left_out_by(Selection(namespace="default"), service(None, ServiceSpec(), place="web")) == ""


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        pytest.param({}, "", id="2.2-absent"),
        pytest.param({PREFIX + "controller": "dns-controller"}, "", id="2.2-ours"),
        pytest.param({PREFIX + "controller": "other"}, f"annotation {PREFIX}controller", id="2.2-somebody-else's"),
        pytest.param({PREFIX + "controller": ""}, f"annotation {PREFIX}controller", id="2.2-empty"),
        pytest.param({PREFIX + "controller": "Dns-Controller"}, f"annotation {PREFIX}controller", id="2.2-case"),
        pytest.param({OLD_PREFIX + "controller": "x"}, f"annotation {OLD_PREFIX}controller", id="design-5-old-prefix"),
        pytest.param({OLD_PREFIX + "controller": "x", PREFIX + "ttl": "1"}, "", id="design-5-old-beside-new"),
    ],
)
def test_the_controller_annotation_hides_an_object(annotations: dict[str, str], expected: str) -> None:
    assert left_out_by(Selection(prefixes=BOTH), service(annotations, ServiceSpec())) == expected
