"""Pages and headers of the web site, allowed hosts, and escaping of values from objects."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markupsafe import escape

from extdns import __version__
from extdns.documents.names import NameState
from extdns.flags.address import ListenAddress
from extdns.model.reason import Reason
from extdns.web.site import Site
from tests.objects import service
from tests.unit.web.page_process import LOCAL, Process, WsgiResponse, process

HOSTILE = "<script>alert(1)</script>'\"&\x1b[31m\u202e\x9b2J"
PAGES = ("/", "/zones", "/sources", "/changes", "/policies", "/reasons")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Run a process with objects that contain markup, and more names than fit on a page."""
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
def test_every_page_response_has_a_strict_content_security_policy(shop: Process, path: str) -> None:
    headers = WsgiResponse(shop.site, *path.split("?")).headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", [*PAGES, "/name?of=right.example.org"])
def test_pages_contain_nothing_that_their_content_security_policy_blocks(shop: Process, path: str) -> None:
    page = WsgiResponse(shop.site, *path.split("?")).text
    assert (
        re.findall(r"<script[^>]*>(?!</script>)|<style| style=| on\w+=\"|javascript:|(?:=\"|\()https?://", page) == []
    )
    assert re.findall(r'(?:href|src|action)="/', page) == [], "addresses are relative"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7980", "127.0.0.1.evil.example", "", "[", "192.0.2.1"])
@pytest.mark.parametrize("path", ["/", "/api/v1/names", "/page.css"])
def test_a_server_on_loopback_rejects_requests_for_other_host_names(shop: Process, host: str, path: str) -> None:
    response = WsgiResponse(shop.site, path, host=host)
    assert response.status == 421
    assert "web01" not in response.text


@pytest.mark.parametrize("method", ["POST", "get"])
@pytest.mark.parametrize("path", ["/", "/api/v1/names", "/page.js", "/nowhere"])
def test_paths_of_pages_and_of_the_api_allow_only_get_and_head(shop: Process, path: str, method: str) -> None:
    response = WsgiResponse(shop.site, path, method=method)
    assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", ["/", "/api/v1/names", "/page.js", "/nowhere"])
def test_a_head_request_gets_the_headers_of_a_get_request_and_no_body(shop: Process, path: str) -> None:
    got, head = WsgiResponse(shop.site, path), WsgiResponse(shop.site, path, method="HEAD")
    assert (head.status, head.headers, head.body) == (got.status, got.headers, b"")


def test_a_page_request_before_the_first_snapshot_gets_a_503(shop: Process) -> None:
    site = Site(read_snapshot=lambda: None, api=shop.api, load_pages=lambda: shop.pages, address=LOCAL)
    assert WsgiResponse(site, "/").status == 503
    assert WsgiResponse(site, "/api/v1/status").json["message"].startswith("the process is busy")


@pytest.mark.parametrize(
    ("path", "query", "status", "message"),
    [
        pytest.param(
            "/nowhere",
            "",
            404,
            "/nowhere not found; available: /, /zones, /sources, /changes, /policies, /name?of=NAME, /reasons, ",
            id="no-page",
        ),
        pytest.param("/\x1b[31m<b>", "", 404, "/\\x1b[31m<b> not found; ", id="hostile-path"),
        pytest.param("/", "stat=x", 400, "unknown parameter stat; allowed: q, state", id="typo"),
        pytest.param("/name", "", 400, "name?of=NAME requires a name", id="no-name"),
        pytest.param("/name", "of=a..b", 400, "a..b is not a name; allowed: ", id="not-a-name"),
    ],
)
def test_the_error_page_about_an_invalid_request_has_all_navigation_links(
    shop: Process, path: str, query: str, status: int, message: str
) -> None:
    response = WsgiResponse(shop.site, path, query)
    assert (response.status, response.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert f"<p>{escape(message)}" in response.text
    assert all(line.isprintable() for line in response.text.splitlines())
    assert re.findall(r"<nav.*</nav>", response.text, re.DOTALL)[0].count("<a ") == 4


def test_links_of_an_error_page_for_a_nested_path_lead_back_to_the_root(shop: Process) -> None:
    page = WsgiResponse(shop.site, "/a/b/nowhere").text
    links = re.findall(r'(?:href|src)="([^"#]*)"', page)
    assert {link for link in links if not link.startswith("../../")} == set()
    assert "../../page.css" in links


def test_every_reason_code_on_a_page_links_to_its_explanation(shop: Process) -> None:
    explained = set(re.findall(r'<tr class="first" id="([a-z-]+)">', WsgiResponse(shop.site, "/reasons").text))
    assert explained == {*Reason, *(f"state-{state}" for state in NameState)}
    for path in ("/", "/name?of=right.example.org", "/name?of=old1.example.org"):
        page = WsgiResponse(shop.site, *path.split("?")).text
        codes = re.findall(r"\[([a-z]+(?:-[a-z]+)*)\](</a>)?", page)
        assert codes
        assert {code for code, is_linked in codes if code in set(Reason) and not is_linked} == set()
        assert set(re.findall(r'href="reasons#([^"]*)"', page)) <= explained


@pytest.mark.parametrize(
    ("flags", "texts"),
    [
        pytest.param((), ["policy sync", "dry run: nothing is written", "no leader election"], id="alone"),
        pytest.param(("--policy=upsert-only",), ["policy upsert-only"], id="policy"),
    ],
)
def test_the_footer_of_a_page_shows_version_owner_policy_flag_and_dry_run(
    tmp_path: Path, flags: tuple[str, ...], texts: list[str]
) -> None:
    page = process(tmp_path, service("web", "web.example.org"), flags=flags).get("/zones").text
    footer = page.partition("<footer>")[2]
    assert f"extdns {__version__} · " in footer
    assert "owner &#34;me&#34;" in footer
    assert [text for text in texts if text not in footer] == []


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
def test_values_of_objects_and_queries_are_escaped(shop: Process, path: str, query: str) -> None:
    page = WsgiResponse(shop.site, path, query).text
    assert "<script>" not in page
    assert "<img" not in page
    assert "<b><b>" not in page
    assert all(line.isprintable() for line in page.splitlines())
    assert len(page) < 60_000


def test_the_list_of_errors_shows_markup_as_text(shop: Process) -> None:
    page = WsgiResponse(shop.site, "/").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\\x1b[31m\\u202e\\x9b2J" in page


def test_the_list_of_names_is_split_into_pages(shop: Process) -> None:
    first = WsgiResponse(shop.site, "/").text
    assert first.count('scope="row"') == 50
    assert 'rel="next"' in first
    assert 'rel="prev"' not in first
    address = re.search(r'href="\.\?([^"]*)" rel="next"', first)
    assert address is not None
    second = WsgiResponse(shop.site, "/", address.group(1).replace("&amp;", "&")).text
    assert 'rel="prev"' in second
    assert second.count('scope="row"') == 82 - 50


def test_filters_of_the_list_stay_in_the_links_between_its_pages(shop: Process) -> None:
    page = WsgiResponse(shop.site, "/", "q=web&limit=10&state=changing").text
    address = re.search(r'href="\.\?([^"]*)" rel="next"', page)
    assert address is not None
    assert address.group(1) == "q=web&amp;state=changing&amp;limit=10&amp;after=web09.example.org"
    assert '<option value="changing" selected>' in page


def test_names_can_be_filtered_by_age(shop: Process) -> None:
    page = WsgiResponse(shop.site, "/", "q=right").text
    assert '<time datetime="2026-01-01T00:00:00Z" title="2026-01-01 00:00:00 UTC">323d</time>' in page
    none = WsgiResponse(shop.site, "/", "q=right&age=2h").text
    assert "No name matches." in none
    assert '<option value="2h" selected>2h</option>' in none
    assert 'href=".?q=right&amp;age=2h&amp;state=changing"' in WsgiResponse(shop.site, "/", "q=right&age=2h").text


def test_links_on_the_page_of_names_contain_the_whole_search_text(shop: Process) -> None:
    page = WsgiResponse(shop.site, "/", f"q={'%C3%A9' * 300}&state=failing").text
    assert f'href=".?q={"%C3%A9" * 300}&amp;state=held"' in page


def test_every_page_shows_that_deletes_are_held_and_how_to_approve_them(shop: Process) -> None:
    (held,) = shop.get("/api/v1/held").json["items"]
    for path in PAGES:
        page = WsgiResponse(shop.site, path).text
        assert "<strong>20 deletes are held</strong> in namespace shop of example.org" in page
        assert f"<code>extdns --approve={held['approvalCode']} [flags]</code>" in page


def test_the_navigation_highlights_the_current_page(shop: Process) -> None:
    for path, name in (("/", "Names"), ("/zones", "Zones"), ("/sources", "Sources"), ("/changes", "Changes")):
        page = WsgiResponse(shop.site, path).text
        assert re.findall(r'aria-current="page">(\w+)<', page) == [name]
        assert f"<title>{name} · extdns</title>" in page


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1:7980", "[::1]:7980"])
def test_commands_on_a_page_contain_the_address_that_the_reader_used(shop: Process, host: str) -> None:
    page = WsgiResponse(shop.site, "/name", "of=right.example.org", host=host).text
    assert f"<code>extdns explain right.example.org --controller=http://{host}</code>" in page
    assert f"by extdns at http://{host}, owner &#34;me&#34;, files " in page


def test_commands_on_a_page_do_not_contain_an_unsafe_host_name(shop: Process) -> None:
    address = ListenAddress(host="", port=7980)
    site = Site(read_snapshot=lambda: shop.live, api=shop.api, load_pages=lambda: shop.pages, address=address)
    page = WsgiResponse(site, "/name", "of=right.example.org", host="$(reboot)", bound="0.0.0.0").text
    assert "reboot" not in page
    assert "--controller=http://:7980</code>" in page


def test_the_page_turns_red_within_five_seconds_without_answers_and_not_before_a_second_request() -> None:
    script = (Path(__file__).parents[3] / "extdns" / "web" / "static" / "page.js").read_text(encoding="utf-8")
    values = {name: int(value) for name, value in re.findall(r"const (\w+_MS) = (\d+);", script)}
    assert values["SILENT_MS"] + values["TICK_MS"] <= 5000
    assert values["EVERY_MS"] * 2 < values["SILENT_MS"]


def test_the_page_says_so_if_no_object_requests_a_name(tmp_path: Path) -> None:
    silent = {**service("web"), "metadata": {"name": "web", "namespace": "shop"}}
    page = process(tmp_path, silent).get("/").text
    assert (
        '<p class="sentence waiting">No object requests a name. Settings do not fit what was read: see below.</p>'
        in page
    )
    assert '<li class="unfinished">1 object was read, and it requests no name — a name is requested by ' in page
