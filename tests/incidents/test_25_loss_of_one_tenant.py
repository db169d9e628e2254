"""One namespace loses three quarters of the records of a zone while another deletes a single Service.

external-dns deletes all of them at once.

What must hold: the deletes of the first namespace are held, and the delete of the other one is made.
"""

from __future__ import annotations

from tests.cluster_world import MINUTE_S
from tests.incidents.production import Production
from tests.objects import numbered, service, services

NAMES = numbered(79)
DELETED = NAMES[:59]


def test_59_deletes_of_one_namespace_are_held_and_one_of_another_namespace_is_made(production: Production) -> None:
    production.apply(*services(NAMES, namespace="careless"), service("single", namespace="other"))
    with production.process() as running:
        production.until_published(*NAMES, "single")
        production.delete(*services(DELETED, namespace="careless"), service("single", namespace="other"))
        production.wait_for_marker()
        running.pass_time(MINUTE_S + 1.0)
        running.until("Deletes are held", "count=59", "namespace=careless")
        production.until_published(*NAMES)
        production.dns.check_ownership()
