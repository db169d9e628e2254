"""Values of external-dns's chart give the same names and selectors, or are refused with what to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.required_programs import require_program
from tests.slow.chart.installations import (
    flatten,
    is_accepted,
    list_names,
    merge_values,
    read_before,
    read_installation,
)
from tests.slow.chart.tools import Helm, Json, of

NAMES: Final = list_names()
ACCEPTED: Final = [name for name in NAMES if is_accepted(name)]
REFUSED: Final = [name for name in NAMES if "refused" in read_installation(name)]
IDENTITY: Final = ("/spec/selector/", "/serviceAccountName", "ServiceAccount ", "/subjects/", "/roleRef/")
"""Parts of paths of fields that must be as before, because they are immutable, or because others refer to them."""
OTHER_PROGRAM: Final = {"/image": "the image", "/readinessProbe/httpGet/path": "extdns has /readyz"}
"""Parts of paths of fields that differ in every installation."""


@pytest.fixture
def rendered(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Return what the values of an installation render to, after the change that they need."""
    found = read_installation(request.param)
    return flatten(installed(found, tmp_path).manifests(merge_values(found["values"], found.get("change", {}))))


def installed(found: Json, folder: Path) -> Helm:
    return Helm(require_program("the chart", "helm"), folder, release=found["release"], namespace=found["namespace"])


def equals(path: str, before: object, after: object) -> bool:
    """Return whether a field is kept. Arguments are kept if all are there in their order."""
    if path.endswith("/args") and isinstance(before, list) and isinstance(after, list):
        written = " ".join(before).replace("--aws-batch-change-size 500", "--aws-batch-change-size=500").split(" ")
        return written == [one for one in after if one in written]
    return before == after


@pytest.mark.parametrize(("rendered", "name"), [(name, name) for name in ACCEPTED], indirect=["rendered"], ids=ACCEPTED)
def test_the_chart_renders_the_same_fields_as_the_external_dns_chart_except_for_the_listed_differences(
    rendered: dict[str, Any], name: str
) -> None:
    stated = read_installation(name).get("differs", {})
    listed = [*stated, *OTHER_PROGRAM]
    different = {
        path: (value, rendered.get(path))
        for path, value in read_before(name).items()
        if not equals(path, value, rendered.get(path))
    }
    unexpected = {path: values for path, values in different.items() if not any(part in path for part in listed)}
    assert not unexpected
    assert all(any(part in path for path in different) for part in stated), "outdated"
    assert not [path for path in different if any(part in path for part in IDENTITY) and "/annotations/" not in path]


@pytest.mark.parametrize("name", REFUSED)
def test_the_message_about_refused_chart_values_lists_every_problem_with_its_value_and_remedy(
    name: str, tmp_path: Path
) -> None:
    found = read_installation(name)
    message = installed(found, tmp_path).refusal(found["values"])
    assert [text for text in found["refused"] if text not in message] == []
    assert message.count("\n  - ") == len(found["refused"])


NAMED: Final[Json] = yaml.safe_load((Path(__file__).parent / "names.yaml").read_text(encoding="utf-8"))
KINDS: Final = ("Deployment", "Service", "ServiceAccount", "ClusterRole", "ClusterRoleBinding")


@pytest.mark.parametrize("case", NAMED)
def test_object_names_selector_labels_and_service_account_are_those_of_the_external_dns_chart(
    case: str, tmp_path: Path
) -> None:
    found = NAMED[case]
    helm = Helm(require_program("the chart", "helm"), tmp_path, release=found["release"], namespace="dns")
    manifests = helm.manifests({"policy": "sync"} | found["values"])
    (deployment,) = of("Deployment", manifests)
    assert {
        kind: [obj["metadata"].get("namespace", ""), obj["metadata"]["name"]]
        for kind in KINDS
        for obj in of(kind, manifests)
    } == found["names"]
    assert deployment["spec"]["selector"]["matchLabels"] == found["selector"]
    assert deployment["spec"]["template"]["spec"]["serviceAccountName"] == found["account"]
