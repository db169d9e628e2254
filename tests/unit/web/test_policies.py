"""The area of the rules on the live page, and its document in the JSON API."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from extdns.cel.policy_index import PolicyState
from extdns.documents.rules import NO_RULES, LocalRulesSnapshot, PolicyServerSnapshot, RuleSnapshot
from extdns.documents.snapshot import CountCache
from extdns.model.change import RuleAction
from extdns.model.kind import ObjectKey
from extdns.resources.extdns import DNS_POLICY
from extdns.rules.policy_server import LoadedPolicy, PolicyProblem
from tests.objects import service
from tests.unit.web.page_process import Process, WsgiResponse, process

MARKUP = "<script>alert(1)</script>'\"&"
HOSTILE = f"{MARKUP}\x1b[31m"
OPA_URL = "--opa-url=http://127.0.0.1:8181"


def build_policy(name: str, expression: str, **spec: object) -> dict[str, object]:
    validations = [{"expression": expression, "message": f"not allowed {MARKUP}"}]
    return {
        "apiVersion": "extdns.io/v1alpha1",
        "kind": "DNSPolicy",
        "metadata": {"name": name},
        "spec": {"validations": validations, **spec},
    }


def build_state(name: str, *problems: str, is_used: bool = True, file: str = "rules.yaml") -> PolicyState:
    return PolicyState(
        key=ObjectKey(DNS_POLICY, "", name),
        generation=1,
        problems=problems,
        warnings=(f"warning {HOSTILE}",),
        is_used=is_used,
        is_former=is_used and bool(problems),
        action=RuleAction.DENY if is_used else None,
        file=file,
    )


LOCAL = LocalRulesSnapshot(
    revision="abc",
    policies=(
        build_state("no-denied"),
        build_state("former", f"spec {HOSTILE}"),
        build_state("unusable", "spec is missing", is_used=False, file=""),
    ),
    problems=("DNSPolicy unusable: spec is missing",),
)
SERVER = PolicyServerSnapshot(
    revision="7f3a",
    policies=(LoadedPolicy(id="dns/rules/names.rego", revision="5e1f"), LoadedPolicy(id=HOSTILE, revision="77aa")),
    policy_problems=(PolicyProblem(policy="dns/rules/names.rego", message=HOSTILE),),
    answered_at_s=-3.0,
    waiting=2,
)


def run_shop(folder: Path, rules: RuleSnapshot) -> Process:
    """Run a process with a rule that denies one of two names, and with *rules* as the state that it shows."""
    path = folder / "rules.yaml"
    path.write_text(json.dumps(build_policy("no-denied", "!record.name.startsWith('denied')")), encoding="utf-8")
    objects = (service("web", "web.example.org"), service("denied", "denied.example.org"))
    return process(folder, *objects, flags=(f"--policy-rules={path}",), rules=rules)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Process:
    return run_shop(tmp_path_factory.mktemp("shop"), RuleSnapshot(local=LOCAL, server=SERVER))


def test_the_api_document_of_policies_has_each_rule_with_its_file_action_state_and_counts(shop: Process) -> None:
    document = shop.get("/api/v1/policies").json
    assert (document["kind"], document["revision"], document["denied"]) == ("Policies", "abc", 1)
    assert document["evaluatedAt"] == "2026-11-20T09:13:31Z"
    found = [
        (one["name"], one["origin"], one["file"], one["action"], one["state"], one["matched"], one["violations"])
        for one in document["items"]
        if one["origin"] != "policy-server"
    ]
    assert found == [
        ("former", "file", "rules.yaml", "deny", "former-version", 0, 0),
        ("no-denied", "file", "rules.yaml", "deny", "used", 2, 1),
        ("unusable", "cluster", "", None, "unusable", 0, 0),
    ]


def test_the_api_document_of_policies_has_the_policy_server_without_the_password_of_its_url(tmp_path: Path) -> None:
    server = RuleSnapshot(server=SERVER)
    shop = process(tmp_path, service("web", "web.example.org"), flags=(OPA_URL, "--opa-timeout=0.2s"), rules=server)
    document = shop.get("/api/v1/policies").json["policyServer"]
    del document["policyProblems"]
    assert document == {
        "url": "http://127.0.0.1:8181",
        "path": "extdns/deny",
        "onFailure": "keep",
        "state": "answering",
        "problem": "",
        "revision": "7f3a",
        "policies": 2,
        "answeredAt": "2026-11-20T09:14:28Z",
        "waiting": 2,
    }


@pytest.mark.parametrize(
    ("server", "state"),
    [
        pytest.param(PolicyServerSnapshot(problem="no answer in time", revision="1"), "failing", id="failing"),
        pytest.param(PolicyServerSnapshot(), "not-queried", id="not-queried"),
    ],
)
def test_a_failing_policy_server_makes_the_process_failing_and_one_not_yet_queried_does_not(
    tmp_path: Path, server: PolicyServerSnapshot, state: str
) -> None:
    shop = process(tmp_path, service("web", "web.example.org"), rules=RuleSnapshot(server=server))
    assert shop.get("/api/v1/policies").json["policyServer"]["state"] == state
    status = shop.get("/api/v1/status").json
    assert (status["level"] == "failing") is (state == "failing")
    assert ("the policy server does not answer: no answer in time" in status["failing"]) is (state == "failing")


def test_a_problem_with_a_rule_makes_the_process_failing_in_the_api_document_of_the_status(shop: Process) -> None:
    status = shop.get("/api/v1/status").json
    assert status["level"] == "failing"
    assert "rules: DNSPolicy unusable: spec is missing" in status["failing"]


def test_the_page_of_a_denied_name_links_to_the_rule_and_the_rule_links_to_the_names_it_matches(shop: Process) -> None:
    page = WsgiResponse(shop.site, "/name", "of=denied.example.org").text
    assert 'rule <a href="policies#rule-no-denied">no-denied</a> DENIES it: not allowed &lt;script&gt;' in page
    area = shop.get("/policies").text
    assert '<tr class="first" id="rule-no-denied">' in area
    assert 'href=".?rule=no-denied"' in area
    assert 'href=".?reason=policy-denied"' in area
    names = [one["name"] for one in shop.get("/api/v1/names", rule="no-denied").json["items"]]
    assert names == ["denied.example.org", "web.example.org"]
    assert shop.get("/api/v1/names", rule="other").json["items"] == []


def test_markup_in_texts_of_rules_is_shown_as_text_on_every_page(shop: Process) -> None:
    for page in (shop.get("/policies").text, shop.get("/").text, shop.get("/name", of="denied.example.org").text):
        assert "<script>" not in page
        assert all(line.isprintable() for line in page.splitlines())
    assert "&lt;script&gt;" in shop.get("/policies").text


def many_rules(folder: Path) -> Process:
    """Run a process that shows thirty rules, two of which have one name: one from a file, and one from the cluster."""
    files = tuple(build_state(f"rule-{number:02}") for number in range(29))
    return run_shop(folder, RuleSnapshot(local=replace(LOCAL, policies=(*files, build_state("rule-09", file="")))))


def test_all_pages_of_the_list_of_policies_together_contain_each_rule_once(tmp_path: Path) -> None:
    shop = many_rules(tmp_path)
    whole = shop.get("/api/v1/policies").json
    names = [one["name"] for one in whole["items"]]
    assert (whole["total"], len(names), names) == (30, 30, sorted(names))
    pages: list[list[str]] = []
    after = ""
    while after is not None:
        page = shop.get("/api/v1/policies", limit="10", after=after).json
        pages.append([one["name"] for one in page["items"]])
        after = page["after"]
    assert [name for page in pages for name in page] == names
    assert [len(page) for page in pages] == [11, 10, 9], "rules of one name are on one page"


def test_a_page_of_policies_links_to_the_first_and_to_the_next_page(tmp_path: Path) -> None:
    shop = many_rules(tmp_path)
    assert re.findall(r'href="(policies\?[^"]*)"', shop.get("/policies").text) == []
    (following,) = re.findall(r'href="policies\?([^"]*)"', shop.get("/policies", limit="20").text)
    page = WsgiResponse(shop.site, "/policies", unescape(following)).text
    assert re.findall(r'id="rule-([^"]*)"', page) == [f"rule-{number}" for number in range(19, 29)]
    assert '<a href="policies">first page</a>' in page
    assert "next page" not in page


def test_a_cursor_of_policies_can_be_as_long_as_the_path_of_a_file(shop: Process) -> None:
    assert shop.get("/api/v1/policies", after="x" * 2000).status == 200
    response = shop.get("/api/v1/policies", after="x" * 2001)
    assert (response.status, response.json["message"]) == (400, "after has 2001 characters; allowed: 2000")


def test_without_rules_the_pages_have_no_link_to_policies_and_the_policies_page_is_one_line(tmp_path: Path) -> None:
    shop = process(tmp_path, service("web", "web.example.org"), rules=NO_RULES)
    assert "Policies" not in re.findall(r"<nav.*</nav>", shop.get("/").text, re.DOTALL)[0]
    assert shop.get("/policies").text.count("No rules: every name that an object requests may be published.") == 1
    assert 'name="rule"' not in shop.get("/").text
    assert shop.get("/api/v1/policies").json["items"] == []


def test_with_rules_the_pages_have_a_link_to_the_policies_page_and_a_filter_by_rule(shop: Process) -> None:
    navigation = re.findall(r"<nav.*</nav>", shop.get("/policies").text, re.DOTALL)[0]
    assert '<a href="policies" aria-current="page">Policies</a>' in navigation
    assert 'name="rule"' in shop.get("/").text


def with_results(shop: Process, results: Counter[tuple[str, str]]) -> Process:
    """Return *shop* with *results*, the records by rule and result, instead of its own."""
    counted = CountCache()
    counted.find("rule results", shop.live.engine.decisions.revision, lambda: results)
    return Process(replace(shop.live, counted=counted), shop.config)


def test_of_a_rule_of_the_policy_server_the_violations_are_known_and_the_matched_records_are_not(
    tmp_path: Path,
) -> None:
    shop = with_results(run_shop(tmp_path, RuleSnapshot(server=SERVER)), Counter({("extdns.ttl", "deny"): 3}))
    found = shop.get("/api/v1/policies").json["items"]
    assert [(one["matched"], one["violations"]) for one in found if one["name"] == "extdns.ttl"] == [(None, 3)]
    assert '<td data-label="Records matched" class="number">not known</td>' in shop.get("/policies").text


@pytest.mark.parametrize(
    ("results", "violations"),
    [
        pytest.param(Counter(), 0, id="no-violation"),
        pytest.param(Counter({("extdns.ttl", "deny"): 3}), None, id="a-rule-of-the-package-is-violated"),
    ],
)
def test_each_policy_that_the_policy_server_has_is_shown_with_its_revision_before_a_record_violates_it(
    tmp_path: Path, results: Counter[tuple[str, str]], violations: int | None
) -> None:
    shop = with_results(run_shop(tmp_path, RuleSnapshot(server=SERVER)), results)
    items = shop.get("/api/v1/policies").json["items"]
    found = {one["name"]: one for one in items if one["revision"]}
    assert found["dns/rules/names.rego"] == {
        "name": "dns/rules/names.rego",
        "origin": "policy-server",
        "file": "",
        "revision": "5e1f",
        "action": None,
        "state": "failing",
        "matched": None,
        "violations": violations,
        "problems": [HOSTILE],
        "warnings": [],
    }
    assert {name: (one["state"], one["violations"]) for name, one in found.items()}[HOSTILE] == ("used", violations)
    page = shop.get("/policies").text
    assert '<th scope="row">dns/rules/names.rego</th>' in page
    assert "the policy server, revision 5e1f" in page


def test_the_filter_by_rule_offers_at_most_500_rules_and_the_chosen_one(tmp_path: Path) -> None:
    results = Counter({(f"extdns.r{number:05}", "deny"): 1 for number in range(10_000)})
    shop = with_results(run_shop(tmp_path, RuleSnapshot(server=SERVER)), results)
    page = shop.get("/", rule="extdns.r09999").text
    assert page.count('<option value="extdns.r') == 501
    assert '<option value="extdns.r09999" selected>' in page
