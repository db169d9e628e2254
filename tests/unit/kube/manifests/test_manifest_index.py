"""The index of all manifest files: which file is used for an object, and which problems are reported."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from extdns.kube.local_store import WatchedNamespaces
from extdns.kube.manifests.cluster import ManifestCluster
from extdns.kube.manifests.kinds import ListKind, UnsupportedKind, identify_kind
from extdns.kube.manifests.loader import ManifestIndex
from extdns.kube.manifests.manifest_files import ManifestFile
from extdns.kube.manifests.reader import read_manifests
from extdns.kube.object_decoder import FileContents
from extdns.model.kind import Kind, ObjectKey
from extdns.resources.core import NODE, SERVICE, Service
from extdns.resources.gateway_api import GATEWAY
from extdns.resources.gloo import GLOO_GATEWAY
from extdns.resources.istio import ISTIO_GATEWAY
from extdns.resources.networking import INGRESS
from tests.cluster_changes import added, summarize_changes, synced

WEB = ObjectKey(SERVICE, "shop", "web")
FILES = {name: ManifestFile.root(number, name) for number, name in enumerate(["a.yaml", "b.yaml", "c.yaml"])}


def web(type_: str, name: str = "web") -> str:
    return f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{type: {type_}}}\n"


def build_index(**texts: str) -> ManifestIndex:
    """Build an index of manifest files; each keyword is the first letter of a file name."""
    index = ManifestIndex()
    for letter, text in texts.items():
        put(index, letter, text)
    return index


def put(index: ManifestIndex, letter: str, text: str) -> None:
    file = FILES[f"{letter}.yaml"]
    index.put(file, read_manifests(text.encode(), file.name))


def type_of(index: ManifestIndex) -> str | None:
    obj = index.get(WEB)
    return obj.spec.type if isinstance(obj, Service) else None


def test_the_first_file_with_an_object_is_used_in_whatever_order_files_are_read() -> None:
    for order in ("abc", "cba", "bca"):
        index = build_index(**{letter: web(f"From{letter}") for letter in order})
        assert type_of(index) == "Froma"
        assert index.find_problems() == {
            ("b.yaml:1", WEB): "Service shop/web is also in a.yaml:1, which is used",
            ("c.yaml:1", WEB): "Service shop/web is also in a.yaml:1, which is used",
        }


def test_the_next_file_with_an_object_is_used_after_the_first_one_no_longer_has_it() -> None:
    index = build_index(a=web("Froma"), b=web("Fromb"), c=web("Fromc"))
    put(index, "a", "")
    assert type_of(index) == "Fromb"
    index.remove(FILES["c.yaml"])
    assert (type_of(index), index.find_problems()) == ("Fromb", {})
    index.remove(FILES["b.yaml"])
    assert (type_of(index), list(index.list_keys(SERVICE))) == (None, [])


def test_a_valid_manifest_is_preferred_to_an_earlier_one_that_became_unreadable() -> None:
    index = build_index(a=web("Old"))
    put(index, "a", "a: [")
    assert type_of(index) == "Old"
    put(index, "b", web("New"))
    assert type_of(index) == "New"
    assert list(index.find_problems()) == [("a.yaml:2", None)]
    put(index, "b", "")
    assert type_of(index) == "Old"
    put(index, "a", "")
    assert type_of(index) is None


def test_the_changed_keys_are_those_of_objects_that_changed_or_whose_file_became_invalid() -> None:
    index = build_index(a=web("Froma"), b=web("Fromb", "api"))
    api = WEB._replace(name="api")
    assert index.take_changed() == {WEB, api}
    put(index, "a", "# moved down\n" + web("Froma"))
    assert index.take_changed() == set()
    put(index, "a", "a: [")
    put(index, "b", web("Other", "api"))
    assert index.take_changed() == {WEB, api}


def test_whether_an_object_that_no_manifest_contains_exists_is_unknown_while_a_file_cannot_be_read() -> None:
    index = build_index(a=web("Froma"), b=web("60", "api"))
    gone = WEB._replace(name="gone")
    keys = (WEB, WEB._replace(name="api"), gone)
    assert [index.exists(key) for key in keys] == [True, True, False]
    index.set_unreadable({FILES["c.yaml"]: "cannot be read: Permission denied"})
    assert [index.exists(key) for key in keys] == [True, True, None]
    index.set_unreadable({})
    put(index, "a", "a: [")
    assert [index.exists(key) for key in keys] == [None, True, None]


def test_new_contents_of_a_file_remove_an_object_only_if_they_were_read_completely_and_lack_it() -> None:
    index = build_index(a=web("Froma"))
    file = FILES["a.yaml"]
    assert index.would_remove(file, FileContents())
    assert index.would_remove(file, read_manifests(web("X", "api").encode(), "a.yaml"))
    assert not index.would_remove(file, read_manifests(web("Other").encode(), "a.yaml"))
    assert not index.would_remove(file, read_manifests(web("60").encode(), "a.yaml"))
    assert not index.would_remove(file, read_manifests(b"a: [", "a.yaml"))
    assert not index.would_remove(FILES["b.yaml"], FileContents())


def test_problems_are_sorted_by_file_and_line_and_disappear_when_solved() -> None:
    index = build_index(b=f"{web('60')}---\n{web('1', 'api')}", a="x: y\n---\n" * 9 + web("60"))
    index.set_unreadable({FILES["c.yaml"]: "cannot be read: Permission denied"})
    assert [location for location, _ in index.find_problems()] == ["a.yaml:19", "b.yaml:1", "b.yaml:6", "c.yaml"]
    put(index, "b", web("NodePort"))
    assert [location for location, _ in index.find_problems()] == ["a.yaml:19", "c.yaml"]


def test_object_keys_are_listed_by_kind() -> None:
    index = build_index(a=web("Froma") + "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n")
    assert list(index.list_keys(NODE)) == [ObjectKey(NODE, "", "n1")]


# Objects are read from the watched namespaces only


BOTH: Final = "".join(
    f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web, namespace: {namespace}}}\n---\n"
    for version, kind in (("v1", "Service"), ("networking.k8s.io/v1", "Ingress"))
    for namespace in ("shop", "pay")
)


def test_only_objects_of_watched_namespaces_and_objects_without_namespace_are_returned(tmp_path: Path) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\n"
    bad = "apiVersion: v1\nkind: Service\nmetadata: {name: bad, namespace: pay}\nspec: {type: 60}\n"
    (tmp_path / "a.yaml").write_text(BOTH + node + bad)
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=WatchedNamespaces(default=("shop",)))
    cluster.require(SERVICE)
    cluster.require(NODE)
    assert summarize_changes(cluster.take(0)) == [
        added(SERVICE, "shop/web"),
        synced(SERVICE),
        added(NODE, "n1"),
        synced(NODE),
    ]
    assert cluster.exists(ObjectKey(SERVICE, "pay", "web")) is None


def test_a_kind_can_be_read_from_other_namespaces_than_other_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BOTH)
    where = WatchedNamespaces(default=("shop",), by_kind={INGRESS: ("pay",)})
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=where)
    cluster.require(SERVICE)
    cluster.require(INGRESS)
    assert summarize_changes(cluster.take(0)) == [
        added(SERVICE, "shop/web"),
        synced(SERVICE),
        added(INGRESS, "pay/web"),
        synced(INGRESS),
    ]
    assert cluster.exists(ObjectKey(INGRESS, "shop", "web")) is None


def test_a_kind_can_be_read_from_all_namespaces_although_other_kinds_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BOTH)
    where = WatchedNamespaces(default=("shop",), by_kind={INGRESS: ()})
    cluster = ManifestCluster([str(tmp_path)], watch=False, namespaces=where)
    cluster.require(INGRESS)
    assert summarize_changes(cluster.take(0)) == [
        added(INGRESS, "pay/web"),
        added(INGRESS, "shop/web"),
        synced(INGRESS),
    ]


# The API group distinguishes kinds of the same name


OLD = "networking.istio.io/v1alpha3"


@pytest.mark.parametrize(
    ("api_version", "kind", "expected"),
    [
        pytest.param("gateway.networking.k8s.io/v1", "Gateway", GATEWAY, id="one"),
        pytest.param("networking.istio.io/v1", "Gateway", ISTIO_GATEWAY, id="the-other"),
        pytest.param(OLD, "Gateway", ISTIO_GATEWAY, id="older-version-of-the-other"),
        pytest.param(OLD, "GatewayList", ListKind(ISTIO_GATEWAY), id="list-of-the-other"),
        pytest.param("gateway.solo.io/v1", "Gateway", GLOO_GATEWAY, id="a-third"),
        pytest.param("gateway.example.test/v1", "Gateway", None, id="an-unknown-one"),
        pytest.param("extensions/v1beta1", "Gateway", None, id="legacy-group-without-that-kind"),
        pytest.param(
            "networking.istio.io/v2",
            "Gateway",
            UnsupportedKind(
                ISTIO_GATEWAY,
                "apiVersion networking.istio.io/v2 of Gateway is not read; allowed: "
                f"networking.istio.io/v1, networking.istio.io/v1beta1, {OLD}",
            ),
            id="version-that-is-not-read",
        ),
        pytest.param(
            None,
            "Gateway",
            UnsupportedKind(
                None,
                "apiVersion is missing; allowed for Gateway: gateway.networking.k8s.io/v1, "
                "gateway.networking.k8s.io/v1beta1, gateway.solo.io/v1, "
                f"networking.istio.io/v1, networking.istio.io/v1beta1, {OLD}",
            ),
            id="no-version",
        ),
        pytest.param(
            None,
            "Servce",
            UnsupportedKind(None, "kind Servce has no apiVersion and does not exist; did you mean: Service of v1"),
            id="misspelt kind without version",
        ),
        pytest.param(
            "v1",
            "Ingress",
            UnsupportedKind(INGRESS, "apiVersion v1 of Ingress is not read; allowed: networking.k8s.io/v1"),
            id="version of the core group",
        ),
    ],
)
def test_kinds_of_the_same_name_are_told_apart_by_their_api_group(
    api_version: str | None, kind: str, expected: Kind | ListKind | UnsupportedKind | None
) -> None:
    assert identify_kind(api_version, kind) == expected
