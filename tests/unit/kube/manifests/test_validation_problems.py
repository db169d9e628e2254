"""Problems in files are reported, and do not affect other objects."""

from __future__ import annotations

import pytest

from extdns.kube.manifests.reader import read_manifests
from extdns.kube.object_decoder import FileContents
from extdns.resources.core import Service


def find_problems(data: str | bytes, file_name: str = "f.yaml") -> list[str]:
    """Read a manifest file, and return line, object (if known) and message of each problem."""
    contents = read_manifests(data.encode() if isinstance(data, str) else data, file_name)
    return [
        f"{problem.line} {f'{problem.key.namespace}/{problem.key.name}' if problem.key else ''}: {problem.message}"
        for problem in contents.problems
    ]


def service(name: str, rest: str = "") -> str:
    return f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\n{rest}"


def json_service(name: str) -> str:
    return f'{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{name}","namespace":"shop"}}}}'


TTL = """\
apiVersion: v1
kind: Service
metadata:
  name: web
  annotations:
    external-dns.kubernetes.io/hostname: web.example.org
    external-dns.kubernetes.io/ttl: %s
"""
TTL_PATH = 'metadata.annotations["external-dns.kubernetes.io/ttl"]'
QUOTE = "allowed: a string, so quote it"
CAUSE = "allowed: a mapping with apiVersion and kind"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(TTL % 60, f"1 default/web: {TTL_PATH} is the number 60; {QUOTE}", id="number"),
        pytest.param(TTL % "on", f"1 default/web: {TTL_PATH} is the boolean true; {QUOTE}", id="boolean"),
        pytest.param(TTL % "", f"1 default/web: {TTL_PATH} is empty; allowed: a string", id="nothing"),
        pytest.param(TTL % "[1]", f"1 default/web: {TTL_PATH} is a list; allowed: a string", id="list"),
        pytest.param(TTL % "{a: b}", f"1 default/web: {TTL_PATH} is a mapping; allowed: a string", id="mapping"),
        pytest.param(
            TTL % "a" + "    external-dns.kubernetes.io/ttl: b\n",
            f"1 default/web: {TTL_PATH} is given again on line 8; allowed: each key once",
            id="annotation-given-twice",
        ),
        pytest.param(
            '{"apiVersion":"v1","kind":"Service",\n"metadata":{"name":"web",\n"annotations":{"external-dns.kubernetes.io/ttl":60}}}',
            f"1 default/web: {TTL_PATH} is the number 60; {QUOTE}",
            id="in-json",
        ),
        pytest.param(
            service("web", "spec:\n  ports:\n  - port: 80\n  - port: 81\n    nodePort: '30080'\n"),
            '1 shop/web: spec.ports[1].nodePort is the string "30080"; allowed: a whole number',
            id="string-for-a-number",
        ),
        pytest.param(
            service("web", "spec:\n  publishNotReadyAddresses: 1\n"),
            "1 shop/web: spec.publishNotReadyAddresses is the number 1; allowed: true or false",
            id="number-for-a-boolean",
        ),
        (service("web", "spec: []\n"), "1 shop/web: spec is a list; allowed: a mapping"),
        pytest.param(
            service("web", "spec:\n  externalIPs: 192.0.2.1\n"),
            '1 shop/web: spec.externalIPs is the string "192.0.2.1"; allowed: a list',
            id="string-for-a-list",
        ),
        (service("web", "spec:\n  externalIPs:\n  - 5\n"), f"1 shop/web: spec.externalIPs[0] is the number 5; {QUOTE}"),
        (service("web", "spec: {}\nspec: {}\n"), "1 shop/web: spec is given again on line 5; allowed: each key once"),
        pytest.param(
            "apiVersion: v1\nkind: Service\nmetadata:\n  namespace: shop\n",
            "1 : metadata.name is missing; allowed: the object's name",
            id="no-name",
        ),
        ("apiVersion: v1\nkind: Service\n", "1 : metadata is missing; allowed: the object's metadata"),
        pytest.param(
            "apiVersion: v1\nkind: Service\nmetadata:\n  generateName: web-\n",
            "1 : metadata.generateName names no object; allowed: metadata.name",
            id="generated-name",
        ),
        pytest.param(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: Web_1\n",
            '1 : metadata.name is the string "Web_1"; '
            'allowed: small letters, digits, "-" and ".", up to 253 characters',
            id="name-of-no-object",
        ),
        pytest.param(
            '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web",\n"namespace": "a.b"}}',
            '1 : metadata.namespace is the string "a.b"; allowed: small letters, digits, "-", up to 63 characters',
            id="namespace-of-no-object",
        ),
        pytest.param(
            "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: web}\n",
            "1 default/web: apiVersion extensions/v1beta1 of Ingress is not read; allowed: networking.k8s.io/v1",
            id="former-version",
        ),
        pytest.param(
            "apiVersion: networking.k8s.io/v1beta1\nkind: IngressList\nitems: []\n",
            "1 : apiVersion networking.k8s.io/v1beta1 of Ingress is not read; allowed: networking.k8s.io/v1",
            id="list-of-a-former-version",
        ),
        ("kind: Service\nmetadata: {name: web}\n", "1 default/web: apiVersion is missing; allowed for Service: v1"),
        pytest.param(
            "apiVersion: v1\napiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
            "1 default/web: apiVersion is given again on line 2; allowed: each key once",
            id="version-given-twice",
        ),
        pytest.param(
            "apiVersion: v1\nkind: Service\nkind: Node\nmetadata: {name: web}\n",
            "1 : kind is given again on line 3; allowed: each key once",
            id="kind-given-twice",
        ),
        ("apiVersion: v1\nmetadata: {name: web}\n", "1 : kind is missing; allowed: a kind such as Service"),
        pytest.param("\nhello\n", f"2 : the document is a text; {CAUSE}", id="a-text-that-may-be-a-secret"),
        pytest.param("- a\n- b\n", f"1 : the document is a list; {CAUSE}", id="list-of-anything"),
        ("apiVersion: v1\nkind: List\nitems: {}\n", "1 : items is missing or not a list; allowed: a list of objects"),
        pytest.param(
            '{"apiVersion": "v1", "kind": "List", "items": {}}',
            "1 : items is missing or not a list; allowed: a list of objects",
            id="items-no-list-in-json",
        ),
        ('{"apiVersion": "v1", "kind": "List"}', "1 : items is missing or not a list; allowed: a list of objects"),
        ("apiVersion: v1\nkind: List\nitems:\n- 5\n", f"1 : items[0]: the document is the number 5; {CAUSE}"),
        ('{"apiVersion": "v1", "kind": "List", "items": [\n[]]}', f"1 : items[0]: the document is a list; {CAUSE}"),
        pytest.param("a: 1\nb: [\n", "3 : not YAML: did not find expected node content", id="no-yaml"),
        pytest.param(b"\xff\xfe\x00", "0 : not readable as UTF-16; allowed: UTF-8", id="half-of-utf-16"),
    ],
)
def test_a_problem_in_a_manifest_gives_the_line_of_the_document_the_field_its_value_and_allowed_values(
    text: str | bytes, expected: str
) -> None:
    assert find_problems(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('{"kind": }', "1 : not JSON: invalid character", id="syntax"),
        pytest.param('{"kind":\n"Service",}', "2 : not JSON: trailing comma in object", id="trailing-comma"),
        pytest.param('{"kind":\n"Service"', "2 : not JSON: it ends too early", id="cut-off"),
        pytest.param('{"a":' * 20_000, "1 : not readable: nested too deeply", id="nested"),
        (b'{"kind": "\xff"}', "1 : not readable: 'utf-8' codec can't decode byte 0xff in position 0"),
    ],
)
def test_a_json_file_that_cannot_be_parsed_is_reported_as_not_json_or_not_readable(
    text: str | bytes, expected: str
) -> None:
    [problem] = find_problems(text, "f.json")
    assert problem.startswith(expected)


def names(contents: FileContents) -> list[str]:
    return [item.key.name for item in contents.found]


LIST = """\
apiVersion: v1
items:
- apiVersion: v1
  kind: Service
  metadata:
    name: web
    resourceVersion: "4711"
- apiVersion: v1
  kind: Node
  metadata:
    name: n1
kind: List
"""


def test_a_broken_item_does_not_affect_the_other_items_of_a_list() -> None:
    text = LIST.replace('"4711"', "4711").replace("    name: n1", "    name: n1\n- 5")
    contents = read_manifests(text.encode(), "f.yaml")
    assert names(contents) == ["n1"]
    assert [(problem.line, problem.message[:10]) for problem in contents.problems] == [
        (3, "items[0]: "),
        (1, "items[2]: "),
    ]


def test_after_a_syntax_error_json_is_read_again_from_the_next_line_that_begins_with_a_brace() -> None:
    lines = [
        json_service("a"),
        '{"kind": nul}',
        json_service("c"),
        json_service("d")[:-1],
        json_service("e"),
        json_service("f"),
    ]
    contents = read_manifests("\n".join(lines).encode(), "-")
    assert names(contents) == ["a", "c", "e", "f"]
    assert [(problem.line, problem.key) for problem in contents.problems] == [(2, None), (5, None)]


def test_if_one_file_has_an_object_twice_the_first_one_is_used_and_the_other_is_reported() -> None:
    text = f"{service('web', 'spec: {type: NodePort}')}\n---\n{service('web')}"
    contents = read_manifests(text.encode(), "shop.yaml")
    [item] = contents.found
    assert isinstance(item.obj, Service)
    assert item.obj.spec.type == "NodePort"
    assert find_problems(text, "shop.yaml") == ["6 shop/web: Service shop/web is also in shop.yaml:1, which is used"]
    assert contents.is_complete


def test_lists_nested_too_deeply_in_lists_are_rejected() -> None:
    text = "{}"
    for _ in range(12):
        text = '{"apiVersion": "v1", "kind": "List", "items": [' + text + "]}"
    assert find_problems(text) == [("1 : " + "items[0]: " * 8 + "lists are nested too deeply; allowed: 8 levels")]


def test_the_contents_of_a_file_are_incomplete_only_if_a_problem_has_no_known_object() -> None:
    assert read_manifests((TTL % 60).encode(), "f.yaml").is_complete
    assert not read_manifests(b"a: [", "f.yaml").is_complete


@pytest.mark.parametrize("rubbish", ["---\na: [\n", "{[\n"])
def test_reading_a_file_stops_after_too_many_problems_without_known_object(rubbish: str) -> None:
    contents = read_manifests((rubbish * 1002).encode(), "f.json")
    assert len(contents.problems) == 1001
    assert contents.problems[-1].message == ("too many problems that name no object; the rest of the file is not read")
    assert not contents.is_complete
