"""A claim in an unmanaged type does not keep the record of its name (docs/spec/plan.md 2.1)."""

from __future__ import annotations

import pytest

from extdns.engine.delete_settings import DeleteSettings
from extdns.model.change import Action
from extdns.model.evidence import Evidence
from extdns.model.kind import ObjectKey
from extdns.model.reason import Reason
from tests.builders import SERVICE, build_claim, observe, observe_gone, owned
from tests.world import start_published, start_world

GRACE = DeleteSettings(owner="me", grace_s=60.0)
WEB_KEY = ObjectKey(SERVICE, "shop", "web")


@pytest.mark.parametrize("since_start", [True, False])
def test_a_record_is_deleted_if_its_name_is_requested_only_in_an_unmanaged_type(*, since_start: bool) -> None:
    mail = observe("web", build_claim("web", "web", "10 mx.test", rtype="MX"))
    if since_start:
        world = start_published(deletes=GRACE)
        world.run(mail, for_s=1.0)
    else:
        world = start_world(*owned("web"), first=[mail], deletes=GRACE)
    assert sorted(world.list_decisions("web")) == [
        ("A", Action.KEEP, Reason.IN_GRACE),
        ("MX", Action.NONE, Reason.TYPE_UNMANAGED),
    ]
    world.run(for_s=60.0)
    assert world.list_records() == {}
    assert world.evidence == [Evidence.HOSTNAME_REMOVED]


def test_the_record_of_a_deleted_object_is_deleted_although_another_object_requests_an_unmanaged_type() -> None:
    world = start_published()
    world.run(observe("mail", build_claim("mail", "web", "10 mx.test", rtype="MX")), observe_gone("web"))
    assert world.list_records() == {}
    assert world.evidence == [Evidence.OBJECT_DELETED]
