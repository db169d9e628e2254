"""Invalid names, targets and annotations: an existing record stays, and every surface says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extdns import cli
from tests.fakes.apiserver.server import ApiServer
from tests.objects import PREFIX, service
from tests.program.installation import Installation
from tests.program.running import HANGS_S, Running
from tests.strategies import hostnames, target_texts

OLD: Final = "external-dns.alpha.kubernetes.io/"
GOOD: Final = "good.example.org A 192.0.2.1"
WEB: Final = "web.example.org A 192.0.2.1"


def odd(*, labels: dict[str, str] | None = None, status: str = "192.0.2.1", **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Return the Service `web` with other annotations than a valid one, or with another spec or status."""
    obj = service("web", "web.example.org", address=status)
    annotations = obj["metadata"]["annotations"]
    for key, value in spec.pop("annotations", {}).items():
        annotations.pop(PREFIX + "hostname", None) if key.endswith("hostname") else None
        annotations[key] = value
    obj["metadata"] |= {"labels": labels} if labels else {}
    obj["spec"] |= spec
    return obj


BAD_TARGETS: Final = {
    target: odd(annotations={PREFIX + "target": target})
    for target in ("[192.0.2.1]", "192.0.2.1; 192.0.2.2", "192.0.2.1 192.0.2.2", "web.example.org", "*.example.com")
}
BAD_NAMES: Final = {
    name: odd(annotations={PREFIX + "hostname": name})
    for name in ("[web].example.org", "web.example.org e2.example.org", "192.0.2.7")
}
BAD_KEYS: Final = {
    "hostname": odd(annotations={"hostname": "web.example.org"}),
    f"{PREFIX}hostname": odd(annotations={"x-hostname": "x"}, labels={f"{PREFIX}hostname": "web.example.org"}),
}


@pytest.mark.parametrize(
    ("value", "obj"),
    [
        *(pytest.param(value, obj, id=value) for value, obj in {**BAD_TARGETS, **BAD_NAMES, **BAD_KEYS}.items()),
        pytest.param("203.0.113.290", odd(status="203.0.113.290"), id="status"),
    ],
)
def test_a_published_record_stays_when_the_value_on_its_object_becomes_invalid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], value: str, obj: dict[str, Any]
) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(service("web", "web.example.org"), service("good", "good.example.org"))
    installation.run_once()
    installation.replace_manifests(obj, service("good", "good.example.org"))
    installation.run_twice()
    assert installation.zones.published() == [GOOD, WEB]
    cli.main(["explain", "service/shop/web", *installation.flags()], {})
    assert value in capsys.readouterr().out


@pytest.mark.parametrize("target", ["192.0.2.1, [2001:db8::1]", "192.0.2.1, 2001:db8::1 2001:db8::2"])
def test_a_record_of_another_type_stays_while_the_target_for_it_is_invalid(tmp_path: Path, target: str) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(odd(annotations={PREFIX + "target": "192.0.2.1, 2001:db8::1"}))
    installation.run_once()
    installation.replace_manifests(odd(annotations={PREFIX + "target": target}))
    installation.run_twice("--max-delete-percent=100")
    assert installation.zones.published() == [WEB, "web.example.org AAAA 2001:db8::1"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hostnames(), target_texts(), st.sampled_from(["", "60", "1d"]))
def test_whatever_an_object_requests_other_names_stay_and_what_is_not_written_has_a_reason_on_the_object(
    capsys: pytest.CaptureFixture[str], host: str, target: str, ttl: str
) -> None:
    with TemporaryDirectory() as folder:
        installation = Installation(Path(folder), example_org="mine 300 A 198.51.100.1\n")
        annotations = {PREFIX + "hostname": host, PREFIX + "target": target, PREFIX + "ttl": ttl}
        installation.replace_manifests(odd(annotations=annotations), service("good", "good.example.org"))
        installation.run_twice()
        published = installation.zones.published()
        assert GOOD in published
        assert "mine 300 A 198.51.100.1" in installation.zones.text()
        if host.strip(" \t\n\0,") and published == [GOOD]:
            capsys.readouterr()
            cli.main(["explain", "service/shop/web", "--output=json", *installation.flags()], {})
            found = json.loads(capsys.readouterr().out)
            assert found["problems"] or [one for one in found["names"] if one["outcome"]["reason"]]


def test_what_is_published_but_not_as_the_object_states_it_is_said_and_fails_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installation = Installation(tmp_path, example_org="")
    installation.replace_manifests(odd(annotations={PREFIX + "cloudflare-proxied": "true"}))
    assert installation.run_twice() == 0
    assert installation.zones.published() == [WEB]
    assert cli.main(["plan", *installation.flags()], {}) == 0
    plan = capsys.readouterr().out
    assert "annotation cloudflare-proxied: 'true' is ignored  [property-ignored]" in plan
    assert cli.main(["explain", "web.example.org", *installation.flags()], {}) == 0
    explanation = capsys.readouterr().out
    assert (
        "The zone holds what the object requests, but for: annotation cloudflare-proxied: 'true' is ignored.\n"
    ) in explanation
    assert "is ignored; allowed: with --provider=zonefile: no property  [property-ignored]" in explanation
    assert "\nNext: correct or remove the property on the object, or choose a provider that has it" in explanation


SURFACES: Final = {
    "access": ("Privat", odd(annotations={PREFIX + "access": "Privat"})),
    "target": ("an empty value counts as none", odd(annotations={PREFIX + "target": ""})),
    "ttl": ("1d", odd(annotations={PREFIX + "ttl": "1d"})),
    "key": (f"{PREFIX}hostnam", odd(annotations={f"{PREFIX}hostnam": "x.example.org"})),
    "prefixes": (
        "old.example.org",
        odd(annotations={OLD + "hostname": "old.example.org", PREFIX + "hostname": "web.example.org"}),
    ),
    "labels": (f"{PREFIX}target", odd(labels={f"{PREFIX}target": "x"})),
    "property": ("with --provider=zonefile: no property", odd(annotations={f"{PREFIX}cloudflare-proxied": "true"})),
    "cluster": ("svc.cluster.local", odd(annotations={PREFIX + "target": "web.shop.svc.cluster.local"})),
}


def read_problems(running: Running) -> str:
    """Return the problems of the Service on the live page as JSON; "" while the page does not know it."""
    address = f"http://127.0.0.1:{running.page.port}/api/v1/objects/service/shop/web"
    try:
        with urlopen(address, timeout=HANGS_S) as answer:
            return json.dumps(json.load(answer)["problems"])
    except HTTPError:
        return ""


@pytest.mark.parametrize("is_first", [True, False], ids=["first reading", "watch"])
@pytest.mark.parametrize(("value", "obj"), SURFACES.values(), ids=SURFACES)
def test_an_invalid_value_is_in_the_log_an_event_and_the_live_page_from_the_first_reading_and_from_the_watch(
    tmp_path: Path, server: ApiServer, value: str, obj: dict[str, Any], is_first: bool
) -> None:
    installation = Installation(tmp_path, server, example_org="")
    installation.apply(obj if is_first else service("web", "web.example.org"))
    with installation.start("--web-address=127.0.0.1:0") as running, running.page:
        if not is_first:
            running.until("successfully updated")
            installation.apply(obj)
        running.until("alue on an object", value)
        installation.until(lambda: any(value in event["note"] for event in server.objects("Event")))
        installation.until(lambda: value in read_problems(running))
