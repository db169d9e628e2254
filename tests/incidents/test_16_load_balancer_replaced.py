"""A load balancer is replaced: all targets change at once.

The ingress controller moves to a new load balancer; 400 names point to the old one, which is switched off.

What must hold: updates and changes of the record type are never held, whatever their number, because waiting would
prolong the outage. All are sent at once, and no name is missing for a moment.
"""

from __future__ import annotations

import pytest

from tests.builders import host
from tests.cluster_world import start_cluster
from tests.incidents.production import Production
from tests.objects import ingress, numbered, services

NAMES = numbered(400)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("192.0.2.1", "192.0.2.2", id="address"),
        pytest.param("old.example.net", "new.example.net", id="alias"),
        pytest.param("192.0.2.1", "new.example.net", id="address-to-alias"),
        pytest.param("192.0.2.1", "2001:db8::2", id="address-to-longer-address"),
    ],
)
def test_400_names_are_updated_at_once_and_no_name_is_missing_meanwhile(old: str, new: str) -> None:
    world = start_cluster(*services(NAMES, address=old), ingress("web", "web.example.org", address=old))
    before = len(world.provider.submissions)
    world.apply(*services(NAMES, address=new), ingress("web", "web.example.org", address=new), for_s=2.0)
    assert set(world.list_records().values()) == {(new,)}
    assert world.published() == {*NAMES, "web"}
    assert not world.code
    for submission in world.provider.submissions[before:]:
        assert {key.name for key in submission.after} >= {host(name) for name in (*NAMES, "web")}


def test_the_program_updates_60_names_to_a_new_load_balancer(production: Production) -> None:
    names = NAMES[:60]
    production.apply(*services(names))
    with production.process():
        production.until_published(*names)
        production.apply(*services(names, address="new.example.net"))
        production.until(lambda: set(production.dns.records().values()) == {("new.example.net",)})
        production.dns.check_ownership()
