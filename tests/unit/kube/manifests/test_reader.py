"""Read manifests in all formats that tools print."""

from __future__ import annotations

import pytest

from extdns.kube.manifests.reader import read_manifests
from extdns.resources.core import Service


def read_objects(data: str | bytes, file_name: str = "f.yaml") -> list[tuple[str, int]]:
    """Read a manifest file whose only problems are ignored documents. Return its objects with their lines."""
    contents = read_manifests(data.encode() if isinstance(data, str) else data, file_name)
    assert all(problem.is_ignored for problem in contents.problems)
    return [
        (f"{item.key.kind.name} {item.key.namespace}/{item.key.name}".replace(" /", " "), item.line)
        for item in contents.found
    ]


def service(name: str, rest: str = "") -> str:
    return f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\n{rest}"


def json_service(name: str) -> str:
    return f'{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{name}","namespace":"shop"}}}}'


KUBECTL_LIST = """\
apiVersion: v1
items:
- apiVersion: v1
  kind: Service
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"v1","kind":"Service"}
    creationTimestamp: "2026-01-22T02:48:00Z"
    name: web
    namespace: shop
    resourceVersion: "4711"
- apiVersion: v1
  kind: Node
  metadata:
    name: n1
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
kind: List
metadata:
  resourceVersion: ""
"""

HELM = """\
---
# Source: shop/templates/serviceaccount.yaml
---
# Source: shop/templates/service.yaml
apiVersion: v1
kind: Service
metadata:
  name: web
---
# Source: shop/templates/ingress.yaml
# apiVersion: v1
"""

INDENTED_JSON = """\
{
    "apiVersion": "v1",
    "kind": "List",
    "metadata": {},
    "items": [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "web", "namespace": "shop"}
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "api", "namespace": "shop"}
        }
    ]
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("# nothing\n---\n---\n...\n", [], id="only-empty-documents"),
        pytest.param(
            "---\n# c\n  \r\n--- \n---\n" + service("web"), [("Service shop/web", 6)], id="empty-documents-before"
        ),
        pytest.param(
            "a: b\n---#: c\n---\n" + service("web"), [("Service shop/web", 4)], id="dashes-that-separate-nothing"
        ),
        pytest.param(service("web"), [("Service shop/web", 1)], id="one-document"),
        pytest.param(KUBECTL_LIST, [("Service shop/web", 3), ("Node n1", 13)], id="kubectl-get-yaml"),
        pytest.param(INDENTED_JSON, [("Service shop/web", 1), ("Service shop/api", 1)], id="kubectl-get-json"),
        pytest.param(HELM, [("Service default/web", 5)], id="helm-template"),
        pytest.param(
            f"{service('web')}---\n{service('api')}",
            [("Service shop/web", 1), ("Service shop/api", 5)],
            id="kustomize-build",
        ),
        pytest.param(
            f"{service('web')}\r\n---\r\n{service('api')}".replace("\n", "\r\n"),
            [("Service shop/web", 1), ("Service shop/api", 7)],
            id="crlf",
        ),
        pytest.param(f"%YAML 1.1\n# c\n---\n{service('web')}", [("Service shop/web", 4)], id="directive"),
        pytest.param(
            "x: |\n  a\n  ---\n  b\n---  # next\n" + service("web"), [("Service shop/web", 6)], id="dashes-in-a-block"
        ),
        pytest.param(
            "--- {apiVersion: v1, kind: Node, metadata: {name: n1}}", [("Node n1", 1)], id="on-the-line-of-the-dashes"
        ),
        pytest.param("{apiVersion: v1, kind: Node, metadata: {name: n1}}", [("Node n1", 1)], id="yaml-with-braces"),
        pytest.param("\ufeff" + service("web"), [("Service shop/web", 1)], id="byte-order-mark"),
        pytest.param(service("web").encode("utf-16"), [("Service shop/web", 1)], id="utf-16-of-powershell"),
        pytest.param(
            f"{json_service('a')}\n\n{json_service('b')}{json_service('c')} {json_service('d')}\n",
            [("Service shop/a", 1), ("Service shop/b", 3), ("Service shop/c", 3), ("Service shop/d", 3)],
            id="json-one-after-the-other",
        ),
        pytest.param(
            f"---\n{json_service('a')}\n---\n{service('b')}---\n\n{json_service('c')}",
            [("Service shop/a", 2), ("Service shop/b", 4), ("Service shop/c", 9)],
            id="json-among-yaml",
        ),
        pytest.param(
            '{"apiVersion":"v1","kind":"ServiceList","items":[{"metadata":{"name":"web"}}]}',
            [("Service default/web", 1)],
            id="items-of-a-typed-list-need-no-type",
        ),
        pytest.param(
            "apiVersion: networking.k8s.io/v1\nkind: IngressList\nitems:\n- metadata: {name: web}\n",
            [("Ingress default/web", 4)],
            id="typed-list-in-yaml",
        ),
        pytest.param(
            "apiVersion: v1\nkind: List\nitems:\n"
            "- apiVersion: v1\n  kind: List\n  items:\n"
            "  - apiVersion: v1\n    kind: Node\n    metadata: {name: n1}\n",
            [("Node n1", 7)],
            id="list-in-a-list",
        ),
        pytest.param(
            "kind: Service\napiVersion: serving.knative.dev/v1\nmetadata: {name: web}", [], id="kind-of-another-group"
        ),
        pytest.param(
            "kind: TCPRoute\napiVersion: gateway.networking.k8s.io/v1alpha2\nmetadata: {name: db}",
            [("TCPRoute default/db", 1)],
            id="same-content-in-an-older-version",
        ),
        pytest.param(
            "kind: Gateway\napiVersion: gateway.example.test/v1\nmetadata: {name: g}", [], id="gateway-of-another-group"
        ),
        pytest.param(
            "kind: Gateway\napiVersion: networking.istio.io/v1beta1\nmetadata: {name: g}\n---\n"
            "kind: Gateway\napiVersion: gateway.networking.k8s.io/v1\nmetadata: {name: g}",
            [("Gateway default/g", 1), ("Gateway default/g", 5)],
            id="same-kind-name-in-two-groups",
        ),
        pytest.param("kind: Playlist\napiVersion: music/v1\nitems: 5", [], id="kind-that-ends-like-a-list"),
        pytest.param("kind: List\napiVersion: v2\nitems: 5", [], id="list-of-another-group"),
        pytest.param("apiVersion: v2\nname: chart\n", [], id="chart-yaml"),
        pytest.param("image: {tag: 1}\nservice: {type: NodePort}\n", [], id="values-yaml"),
        pytest.param(
            "apiVersion: v1\nkind: Node\nmetadata: {name: n1, namespace: x}",
            [("Node n1", 1)],
            id="node-with-a-namespace",
        ),
    ],
)
def test_objects_are_read_from_each_format_of_yaml_and_json_documents(
    text: str | bytes, expected: list[tuple[str, int]]
) -> None:
    assert read_objects(text) == expected


def test_anchors_and_nulls_are_read_as_the_api_server_reads_them() -> None:
    text = service(
        "web",
        "spec: &s\n  type: NodePort\n  clusterIP:\n  selector: {app: &app web}\n  externalName: *app\nstatus: null\n",
    )
    [item] = read_manifests(text.encode(), "f.yaml").found
    assert isinstance(item.obj, Service)
    assert (item.obj.spec.type, item.obj.spec.cluster_ip, item.obj.spec.selector) == ("NodePort", "", {"app": "web"})
    assert item.obj.spec.external_name == "web"


def test_keys_of_yaml_that_look_like_numbers_are_strings_and_a_quoted_merge_key_is_an_ordinary_one() -> None:
    annotations = "{annotations: {1: a, on: b, 1.10: c, '<<': d}, name: web}"
    [item] = read_manifests(f"apiVersion: v1\nkind: Service\nmetadata: {annotations}".encode(), "f.yaml").found
    assert item.obj.metadata.annotations == {"1": "a", "on": "b", "1.10": "c", "<<": "d"}


def test_null_values_in_json_count_as_absent_even_in_a_document_with_emoji() -> None:
    text = (
        r'{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","annotations":{"a":"\ud83d\ude00"}},"spec":null}'
    )
    [item] = read_manifests(text.encode(), "f.json").found
    assert item.obj.metadata.annotations == {"a": "\N{GRINNING FACE}"}


def test_an_object_without_namespace_gets_the_namespace_default() -> None:
    [item] = read_manifests(b"{apiVersion: v1, kind: Service, metadata: {name: web}}", "f.yaml").found
    assert item.obj.metadata.namespace == item.key.namespace == "default"
