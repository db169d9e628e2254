"""The incidents that cost most, once through the whole program: an API server, threads, and strict services.

The story of each, and what must hold, is told in the module of its number.
"""

from __future__ import annotations

from tests.fakes.apiserver.faults import Drop
from tests.incidents.objects import numbered, service, services
from tests.incidents.production import Production

NAMES = numbered(14)
ALL = services(NAMES)


def test_01_a_list_that_breaks_off_loses_nothing(production: Production) -> None:
    production.put(*ALL)
    with production.process():
        production.until_published(*NAMES)
    production.server.faults.arm(Drop(), verb="list", resource="services", times=3)
    production.server.faults.arm(Drop(), verb="watch", resource="services", times=3)
    with production.process() as running:
        running.pass_time(600.0)
        production.seen()
        assert production.published() == set(NAMES)


def test_07_a_namespace_deleted_on_purpose_goes_when_it_is_released(production: Production) -> None:
    production.put(*ALL, service("stays", namespace="blog"))
    with production.process() as running:
        production.until_published(*NAMES, "stays")
        production.delete(*ALL)
        production.seen()
        running.pass_time(61.0)
        production.seen()
        assert production.published() == {*NAMES, "stays"}
        production.release(running)
        production.until_published("stays")
        production.dns.whole()
