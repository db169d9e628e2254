"""Cases of the corpus with their objects in a fake API server give the same records as with manifests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.corpus.case import Case, load
from tests.corpus.tables import OURS, OURS_BY_DEFAULT
from tests.corpus.test_corpus import RUN, check
from tests.fakes.apiserver.kinds import KINDS
from tests.fakes.apiserver.server import ApiServer

CREATED_AT_ONCE: Final = {"creationTimestamp": "1970-01-01T00:00:00Z"}
"""The creation time of all objects, so that none is older because a second ended between two of them."""
WITH_OBJECTS: Final = [name for name in RUN if load(name).objects.exists()]


@pytest.fixture(scope="module", autouse=True)
def _fast_yaml() -> Iterator[None]:
    """Read kubeconfigs with libyaml, because each case reads its own sixteen times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "safe_load", partial(yaml.load, Loader=yaml.CSafeLoader))
        yield


@pytest.mark.parametrize("name", WITH_OBJECTS)
def test_the_records_from_a_live_cluster_equal_the_recorded_ones_but_for_listed_differences(
    name: str, tmp_path: Path
) -> None:
    case = load(name)
    with ApiServer() as server:
        for obj in objects(case):
            serve(server, obj)
            server.put(obj)
        cluster = f"--kubeconfig={server.kubeconfig(tmp_path / 'kubeconfig')}"
        check(case, compat=False, ours=OURS_BY_DEFAULT.get(name) or OURS.get(name), cluster=cluster)


def serve(server: ApiServer, obj: dict[str, Any]) -> None:
    """Make *server* serve the API version of *obj*.

    If its API group is unknown, serve all kinds of the known group under that group, too.
    """
    group, _, version = obj["apiVersion"].rpartition("/")
    alike = [kind for kind in KINDS if kind.kind == obj["kind"]]
    kind = next((kind for kind in alike if kind.group == group), alike[0])
    for other in [kind] if kind.group == group else [other for other in KINDS if other.group == kind.group]:
        server.register(replace(other, group=group, version=version))


def objects(case: Case) -> list[dict[str, Any]]:
    """Return the objects of *case*, including the items of lists."""
    documents = filter(None, yaml.load_all(case.objects.read_text(encoding="utf-8"), yaml.CSafeLoader))
    found = [obj for document in documents for obj in document.get("items", [document])]
    return [obj | {"metadata": CREATED_AT_ONCE | obj["metadata"]} for obj in found]
