"""No order of incomplete lists ends a record while its object and all that it depends on exist (law 2)."""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tests.cluster_world import start_cluster
from tests.objects import Json, gateway, http_route, ingress, namespace, service


def node(name: str, address: str) -> Json:
    """Return a Node with an external address."""
    status = {"addresses": [{"type": "ExternalIP", "address": address}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": name}, "spec": {}, "status": status}


OBJECTS: Final = (
    gateway(),
    http_route("api"),
    http_route("web"),
    namespace(),
    ingress("shop", "shop.example.org"),
    service("ports", type="NodePort", clusterIP="10.0.0.1"),
    node("n0", "192.0.2.10"),
    node("n1", "192.0.2.11"),
)
LISTS: Final = st.tuples(st.sets(st.sampled_from(range(len(OBJECTS))), min_size=1, max_size=3), st.booleans())
SECONDS: Final = st.sampled_from([0.5, 61.0, 700.0])


@given(st.lists(st.tuples(LISTS, SECONDS), max_size=10))
def test_records_stay_while_lists_lack_objects_that_exist_and_some_of_them_return(
    lists: list[tuple[tuple[set[int], bool], float]],
) -> None:
    world = start_cluster(*OBJECTS, flags=["--source=gateway-httproute", "--max-delete-percent=100"])
    published = world.list_records()
    assert set(published) == {"api A", "web A", "shop A", "ports A"}
    for (numbers, returns), seconds in lists:
        found = [OBJECTS[number] for number in sorted(numbers)]
        if returns:
            world.apply(*found, for_s=seconds)
        else:
            world.drop_from_list(*found, for_s=seconds)
    assert world.list_records() == published
