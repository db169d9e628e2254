"""The plan of a change to a folder of manifests, with the status of the cluster, is what a running extdns then does."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json, dns_endpoint, gateway, http_route, ingress, service
from tests.program.installation import Installation

SOURCES: Final = ("service", "ingress", "crd", "gateway-httproute")
NO_BUDGET: Final = ("--max-delete-percent=100", "--max-delete-count=1000")
WORLDS: Final = 30
_SET_BY_CLUSTER: Final = frozenset({"uid", "creationTimestamp", "generation"})


def invent(random: Random, number: int) -> Json:
    """Return an object with status as a cluster has it; the Gateway of routes is never in the folder."""
    address = f"192.0.2.{random.randrange(1, 250)}"
    host = f"n{number}.example.org"
    match random.randrange(5):
        case 0:
            return service(f"n{number}", host, address=random.choice([address, "lb.example.net"]))
        case 1:
            return ingress(f"n{number}", host, f"also-{host}", address=address)
        case 2:
            return dns_endpoint(f"n{number}", address)
        case 3:
            return {**http_route(f"n{number}"), "status": {}}  # no Gateway has accepted it
        case _:
            return http_route(f"n{number}")


def change(random: Random, objects: list[Json]) -> list[Json]:
    """Return what a pull request makes of *objects*: some edited, some removed, one added that needs no status."""
    changed: list[Json] = []
    for one in copy.deepcopy(objects):
        what = random.choice(["keep", "keep", "edit", "remove"])
        if what == "edit":
            _edit(random, one)
        if what != "remove":
            changed.append(one)
    return [*changed, dns_endpoint(f"n{len(objects)}")]


def _edit(random: Random, one: Json) -> None:
    name = f"new-{one['metadata']['name']}.example.org"
    match one["kind"]:
        case "Service":
            key = next(key for key in one["metadata"]["annotations"] if key.endswith("/hostname"))
            if random.randrange(2):
                one["metadata"]["annotations"][key] = name
            else:
                one["metadata"]["annotations"][key.replace("hostname", "ttl")] = "77"
        case "Ingress":
            one["spec"]["rules"] = [{"host": name}]
        case "DNSEndpoint":
            one["spec"]["endpoints"][0]["targets"] = ["198.51.100.7"]
        case _:
            one["spec"]["hostnames"] = [name]


def write_folder(folder: Path, objects: list[Json]) -> None:
    """Write *objects* as people have them in Git, without what only the cluster knows."""
    folder.mkdir()
    items = [
        {key: value for key, value in one.items() if key != "status"}
        | {"metadata": {key: value for key, value in one["metadata"].items() if key not in _SET_BY_CLUSTER}}
        for one in objects
    ]
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


def read_plan(capsys: pytest.CaptureFixture[str], flags: list[str]) -> dict[str, Any]:
    capsys.readouterr()
    cli.main(["plan", *flags, "--output=json"], {})
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert not found["missing"]
    return found


def foresee(published: list[str], plan: dict[str, Any]) -> list[str]:
    """Return the records of *published* after the changes of *plan*."""
    records = set(published)
    for entry in plan["changes"]:
        for when in ("before", "after"):
            for target in (entry[when] or {}).get("targets", ()):
                line = f"{entry['name']} {entry['type']} {target}{'' if target[-1].isdigit() else '.'}"
                records.discard(line) if when == "before" else records.add(line)
    return sorted(records)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_a_plan_with_the_status_of_the_cluster_comes_true(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = Random(seed)
    objects = [invent(random, number) for number in range(random.randrange(3, 8))]
    after = change(random, objects)
    with ApiServer() as server:
        live = Installation(tmp_path, server, sources=SOURCES, example_org="")
        live.apply(gateway(), *objects)
        live.run_once(*NO_BUDGET)
        write_folder(tmp_path / "base", objects)
        write_folder(tmp_path / "head", after)
        options = [f"--manifests={tmp_path / 'head'}", f"--base={tmp_path / 'base'}", *NO_BUDGET]
        plan = read_plan(capsys, live.flags("--with-cluster", *options))
        assert cli.main(["snapshot", *live.flags()], {}) == 0
        (tmp_path / "cluster.json").write_text(capsys.readouterr().out)
        snapshot = f"--cluster-snapshot={tmp_path / 'cluster.json'}"
        assert read_plan(capsys, live.flags(snapshot, *options)) == plan
        expected = foresee(live.zones.published(), plan)
        with live.start("--delete-grace-period=50ms", *NO_BUDGET):
            names = {one["metadata"]["name"] for one in after}
            live.delete(*(one for one in objects if one["metadata"]["name"] not in names))
            live.apply(*after)
            live.until(lambda: sorted(live.zones.published()) == expected)
