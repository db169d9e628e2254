"""What files say together: which of several counts, what hides, what is told and in which order."""

from __future__ import annotations

from extdns.kube.manifests.catalogue import Catalogue
from extdns.kube.manifests.contents import Contents
from extdns.kube.manifests.files import File
from extdns.kube.manifests.reader import read
from extdns.model.cluster import ObjectKey
from extdns.model.objects import NODE, SERVICE, Service

WEB = ObjectKey(SERVICE, "shop", "web")
FILES = {name: File.root(number, name) for number, name in enumerate(["a.yaml", "b.yaml", "c.yaml"])}


def web(type_: str, name: str = "web") -> str:
    return f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{type: {type_}}}\n"


def catalogue_of(**texts: str) -> Catalogue:
    """A catalogue of files by the first letter of their name."""
    catalogue = Catalogue()
    for letter, text in texts.items():
        put(catalogue, letter, text)
    return catalogue


def put(catalogue: Catalogue, letter: str, text: str) -> None:
    file = FILES[f"{letter}.yaml"]
    catalogue.put(file, read(text.encode(), file.name))


def type_of(catalogue: Catalogue) -> str | None:
    obj = catalogue.get(WEB)
    return obj.spec.type if isinstance(obj, Service) else None


def test_the_first_of_several_files_counts_whatever_the_order_of_reading() -> None:
    for order in ("abc", "cba", "bca"):
        catalogue = catalogue_of(**{letter: web(f"From{letter}") for letter in order})
        assert type_of(catalogue) == "Froma"
        assert catalogue.problems() == {
            ("b.yaml:1", WEB): "Service shop/web is also in a.yaml:1, which counts",
            ("c.yaml:1", WEB): "Service shop/web is also in a.yaml:1, which counts",
        }


def test_when_the_first_file_lets_go_the_next_counts() -> None:
    catalogue = catalogue_of(a=web("Froma"), b=web("Fromb"), c=web("Fromc"))
    put(catalogue, "a", "")
    assert type_of(catalogue) == "Fromb"
    catalogue.remove(FILES["c.yaml"])
    assert (type_of(catalogue), catalogue.problems()) == ("Fromb", {})
    catalogue.remove(FILES["b.yaml"])
    assert (type_of(catalogue), list(catalogue.keys(SERVICE))) == (None, [])


def test_an_object_counts_where_it_can_be_read_before_where_it_could_be_once() -> None:
    catalogue = catalogue_of(a=web("Old"))
    put(catalogue, "a", "a: [")
    assert type_of(catalogue) == "Old"
    put(catalogue, "b", web("New"))
    assert type_of(catalogue) == "New"
    assert list(catalogue.problems()) == [("a.yaml:2", None)]
    put(catalogue, "b", "")
    assert type_of(catalogue) == "Old"
    put(catalogue, "a", "")
    assert type_of(catalogue) is None


def test_changed_are_the_keys_whose_object_or_standing_changed() -> None:
    catalogue = catalogue_of(a=web("Froma"), b=web("Fromb", "api"))
    api = WEB._replace(name="api")
    assert catalogue.take_changed() == {WEB, api}
    put(catalogue, "a", "# moved down\n" + web("Froma"))
    assert catalogue.take_changed() == set()
    put(catalogue, "a", "a: [")
    put(catalogue, "b", web("Other", "api"))
    assert catalogue.take_changed() == {WEB, api}


def test_existence_is_unknown_while_something_cannot_be_read() -> None:
    catalogue = catalogue_of(a=web("Froma"), b=web("60", "api"))
    gone = WEB._replace(name="gone")
    keys = (WEB, WEB._replace(name="api"), gone)
    assert [catalogue.exists(key) for key in keys] == [True, True, False]
    catalogue.set_troubles({FILES["c.yaml"]: "cannot be read: Permission denied"})
    assert [catalogue.exists(key) for key in keys] == [True, True, None]
    catalogue.set_troubles({})
    put(catalogue, "a", "a: [")
    assert [catalogue.exists(key) for key in keys] == [None, True, None]


def test_losing_is_told_from_hiding() -> None:
    catalogue = catalogue_of(a=web("Froma"))
    file = FILES["a.yaml"]
    assert catalogue.loses(file, Contents())
    assert catalogue.loses(file, read(web("X", "api").encode(), "a.yaml"))
    assert not catalogue.loses(file, read(web("Other").encode(), "a.yaml"))
    assert not catalogue.loses(file, read(web("60").encode(), "a.yaml"))
    assert not catalogue.loses(file, read(b"a: [", "a.yaml"))
    assert not catalogue.loses(FILES["b.yaml"], Contents())


def test_problems_come_by_file_and_line_and_clear_themselves() -> None:
    catalogue = catalogue_of(b=f"{web('60')}---\n{web('1', 'api')}", a="x: y\n---\n" * 9 + web("60"))
    catalogue.set_troubles({FILES["c.yaml"]: "cannot be read: Permission denied"})
    assert [place for place, _ in catalogue.problems()] == ["a.yaml:22", "b.yaml:4", "b.yaml:9", "c.yaml"]
    put(catalogue, "b", web("NodePort"))
    assert [place for place, _ in catalogue.problems()] == ["a.yaml:22", "c.yaml"]


def test_keys_are_those_of_the_kind() -> None:
    catalogue = catalogue_of(a=web("Froma") + "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n")
    assert list(catalogue.keys(NODE)) == [ObjectKey(NODE, "", "n1")]
