"""Who is answered, with which headers, and what happens to what objects say on the way to a browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from extdns.facts.live import Live
from extdns.flags.address import ListenAddress
from extdns.web.answer import Answer
from extdns.web.site import Site
from tests.integration.stage import service
from tests.unit.web.living import LOCAL, Process, Response, process

HOSTILE = "<script>alert(1)</script>'\"&\x1b[31m\u202e\x9b2J"
PAGES = ("/", "/zones", "/sources", "/changes")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Objects that say what they like, and more names than a page holds."""
    return process(
        tmp_path_factory.mktemp("shop"),
        *(service(f"web{number:02}", f"web{number:02}.example.org") for number in range(60)),
        service("hostile", f"right.example.org, {HOSTILE}.example.org", annotations={"ttl": HOSTILE}),
        service("huge", f"huge.example.org, {'<b>' * 20_000}.example.org", annotations={"ttl": "<i>" * 20_000}),
        orphans=20,
    )


@pytest.mark.parametrize(
    "path", [*PAGES, "/name?of=right.example.org", "/page.css", "/page.js", "/api/v1/status", "/no"]
)
def test_every_answer_forbids_what_the_page_does_not_need(shop: Process, path: str) -> None:
    headers = Response(shop.site, *path.split("?")).headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", [*PAGES, "/name?of=right.example.org"])
def test_pages_hold_nothing_that_the_policy_would_block(shop: Process, path: str) -> None:
    page = Response(shop.site, *path.split("?")).text
    assert re.findall(r"<script[^>]*>(?!</script>)|<style| style=| on\w+=\"|javascript:|https?://", page) == []
    assert re.findall(r'(?:href|src|action)="/', page) == [], "addresses are relative"


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8080", "127.0.0.1:7980", "[::1]:7980", "127.0.0.2", "LOCALHOST"],
)
def test_a_page_of_this_machine_answers_to_its_own_names(shop: Process, host: str) -> None:
    assert Response(shop.site, "/", host=host).status == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7980", "127.0.0.1.evil.example", "", "[", "192.0.2.1"])
@pytest.mark.parametrize("path", ["/", "/api/v1/names", "/page.css"])
def test_a_page_of_this_machine_answers_to_no_other_name(shop: Process, host: str, path: str) -> None:
    response = Response(shop.site, path, host=host)
    assert response.status == 421
    assert "web01" not in response.text


def test_a_page_for_others_answers_to_every_name(shop: Process) -> None:
    site = Site(
        show=lambda: shop.live,
        api=shop.api,
        pages=lambda: pytest.fail("a program asks"),
        address=ListenAddress(host="", port=7980),
    )
    assert Response(site, "/api/v1/status", host="extdns.example.org").status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get"])
@pytest.mark.parametrize("path", ["/", "/api/v1/names", "/page.js", "/nowhere"])
def test_nothing_can_be_done_here_but_reading(shop: Process, path: str, method: str) -> None:
    response = Response(shop.site, path, method=method)
    assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", ["/", "/api/v1/names", "/page.js", "/nowhere"])
def test_head_is_get_without_the_body(shop: Process, path: str) -> None:
    got, head = Response(shop.site, path), Response(shop.site, path, method="HEAD")
    assert (head.status, head.headers, head.body) == (got.status, got.headers, b"")


def test_a_process_that_is_busy_says_so(shop: Process) -> None:
    site = Site(show=lambda: None, api=shop.api, pages=_Plain, address=LOCAL)
    assert Response(site, "/").status == 503
    assert Response(site, "/api/v1/status").json["message"].startswith("the process is busy")


@pytest.mark.parametrize(
    ("path", "query", "status", "message"),
    [
        pytest.param("/nowhere", "", 404, "there is no /nowhere; there are: /, /zones", id="no-page"),
        pytest.param("/\x1b[31m<b>", "", 404, "there is no /\\x1b[31m<b>; ", id="hostile-path"),
        pytest.param("/", "stat=x", 400, "there is no parameter stat; allowed: q, state", id="typo"),
        pytest.param("/name", "", 400, "name?of=NAME needs a name", id="no-name"),
        pytest.param("/name", "of=a..b", 400, "a..b is not a name; allowed: ", id="not-a-name"),
    ],
)
def test_a_mistake_is_told_in_plain_text(shop: Process, path: str, query: str, status: int, message: str) -> None:
    response = Response(shop.site, path, query)
    assert (response.status, response.headers["Content-Type"]) == (status, "text/plain; charset=utf-8")
    assert response.text.startswith(message)
    assert response.text.strip().isprintable()


@pytest.mark.parametrize(
    ("path", "query"),
    [
        *(pytest.param(path, "", id=path) for path in PAGES),
        pytest.param("/", f"q={'%3Cscript%3E' * 20}%1B", id="search"),
        pytest.param("/", "zone=%3Cscript%3Ealert(1)%3C/script%3E", id="filter"),
        pytest.param("/name", "of=right.example.org", id="hostile-annotation"),
        pytest.param("/name", "of=huge.example.org", id="huge-annotation"),
        pytest.param("/name", "of=%3Cimg/src=x%3E.example.org", id="hostile-name"),
    ],
)
def test_what_objects_and_readers_say_is_escaped(shop: Process, path: str, query: str) -> None:
    page = Response(shop.site, path, query).text
    assert "<script>" not in page
    assert "<img" not in page
    assert "<b><b>" not in page
    assert all(line.isprintable() for line in page.splitlines())
    assert len(page) < 60_000


def test_the_error_list_shows_a_hostile_name_as_text(shop: Process) -> None:
    page = Response(shop.site, "/").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\\x1b[31m\\u202e\\x9b2J" in page


def test_the_list_is_paged_on_the_server(shop: Process) -> None:
    first = Response(shop.site, "/").text
    assert first.count('scope="row"') == 50
    assert 'rel="next"' in first
    assert 'rel="prev"' not in first
    address = re.search(r'href="\.\?([^"]*)" rel="next"', first)
    assert address is not None
    second = Response(shop.site, "/", address.group(1).replace("&amp;", "&")).text
    assert 'rel="prev"' in second
    assert second.count('scope="row"') == 82 - 50


def test_a_filter_stays_on_the_way_through_the_pages(shop: Process) -> None:
    page = Response(shop.site, "/", "q=web&limit=10&state=changing").text
    address = re.search(r'href="\.\?([^"]*)" rel="next"', page)
    assert address is not None
    assert address.group(1) == "q=web&amp;state=changing&amp;limit=10&amp;after=web09.example.org"
    assert '<option value="changing" selected>' in page


def test_names_have_an_age_and_are_filtered_by_it(shop: Process) -> None:
    page = Response(shop.site, "/", "q=right").text
    assert '<time datetime="2026-01-01T00:00:00Z" title="2026-01-01 00:00:00 UTC">323d</time>' in page
    none = Response(shop.site, "/", "q=right&age=2h").text
    assert "No name fits." in none
    assert '<option value="2h" selected>2h</option>' in none
    assert 'href=".?q=right&amp;age=2h&amp;state=changing"' in Response(shop.site, "/", "q=right&age=2h").text


def test_an_address_is_whole_however_long_the_search(shop: Process) -> None:
    page = Response(shop.site, "/", f"q={'%C3%A9' * 300}&state=failing").text
    assert f'href=".?q={"%C3%A9" * 300}&amp;state=held"' in page


def test_a_held_set_is_a_banner_with_its_command_on_every_page(shop: Process) -> None:
    (held,) = shop.get("/api/v1/held").json["items"]
    for path in PAGES:
        page = Response(shop.site, path).text
        assert "<strong>20 deletes are held</strong> in example.org" in page
        assert f"<code>extdns --release={held['releaseCode']} [flags]</code>" in page


def test_a_name_is_explained(shop: Process) -> None:
    page = Response(shop.site, "/name", "of=web01.example.org").text
    assert '<p class="answer">web01.example.org is not published yet; it would be created.' in page
    assert "<dt>asked for by</dt>" in page
    assert "Service shop/web01" in page
    assert "<strong>Next:</strong>" in page


def test_the_area_that_is_shown_is_marked(shop: Process) -> None:
    for path, name in (("/", "Names"), ("/zones", "Zones"), ("/sources", "Sources"), ("/changes", "Changes")):
        page = Response(shop.site, path).text
        assert re.findall(r'aria-current="page">(\w+)<', page) == [name]
        assert f"<title>{name} · extdns</title>" in page


class _Plain:
    """Pages without any."""

    def asset(self, path: str) -> None:
        """Give none."""
        del path

    def page(self, live: Live, path: str, query: str) -> Answer:
        raise AssertionError(live, path, query)


def test_what_cannot_be_read_is_shown_as_text(tmp_path: Path) -> None:
    broken = process(tmp_path, service("<img src=x onerror=alert(1)>", "image.example.org"))
    page = Response(broken.site, "/").text
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_files_of_the_page_are_small() -> None:
    folder = Path(__file__).parents[3] / "extdns" / "web" / "static"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 20_000
