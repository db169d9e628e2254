package main_test

import data.extdns_test
import data.main

change(name, action) := {
	"action": action,
	"name": name,
	"type": "A",
	"setIdentifier": "",
	"zone": {"name": "shop.example", "id": "Z1"},
	"before": null,
	"after": {"targets": ["203.0.113.7"], "ttlSeconds": null, "properties": {}},
	"objects": [{"kind": "Service", "namespace": "shop", "name": "web", "source": "service"}],
}

plan(changes) := {
	"changes": changes,
	"missing": [],
	"summary": {"delete": deletes(changes)},
	"zones": [{"name": "shop.example", "id": "Z1", "private": false}],
}

deletes(changes) := count([one | some one in changes; one.action == "delete"])

denials(of_plan) := found if {
	found := main.deny with input as of_plan with data.dns as extdns_test.settings
}

numbered(n, action) := [change(sprintf("n%v.shop.example", [i]), action) | some i in numbers.range(1, n)]

test_each_change_is_checked_by_the_policies_for_one_record if {
	denials(plan([change("web.other.example", "create"), change("web.shop.example", "create")])) == {{
		"rule": "ownership",
		"msg": "A web.other.example: namespace shop may publish only below: shop.example, shop.test",
	}}
}

test_a_record_is_checked_for_each_object_that_requests_it if {
	objects := [{"kind": "Service", "namespace": namespace, "name": "web", "source": "service"} | some namespace in ["shop", "labs"]]
	found := denials(plan([object.union(change("web.shop.example", "update"), {"objects": objects})]))
	{one.msg | some one in found} == {"A web.shop.example: namespace labs may publish only below: nothing"}
}

test_a_plan_with_many_changes_is_reported_and_one_with_too_many_denied if {
	some_changes := plan(numbered(3, "create"))
	count(main.warn) == 1 with input as some_changes with data.dns as extdns_test.settings
	denials(some_changes) == set()
	too_many := plan(numbered(5, "create"))
	denials(too_many) == {{"rule": "mass-change", "msg": "the plan changes 5 records; allowed: 4"}}
}

test_a_plan_with_too_many_deletes_is_denied if {
	denials(plan(numbered(1, "delete"))) == set()
	denials(plan(numbered(2, "delete"))) == {{"rule": "mass-change", "msg": "the plan deletes 2 records; allowed: 1"}}
}

test_an_incomplete_plan_is_denied if {
	incomplete := object.union(plan([]), {"missing": ["Service: forbidden"]})
	denials(incomplete) == {{"rule": "complete", "msg": "the plan is incomplete: Service: forbidden"}}
}

test_a_private_address_is_denied_in_a_public_zone_only if {
	private := object.union(change("web.shop.example", "create"), {"after": {
		"targets": ["10.0.0.1"],
		"ttlSeconds": null,
		"properties": {},
	}})
	count(denials(plan([private]))) == 1
	in_private_zone := {"zones": [{"name": "shop.example", "id": "Z1", "private": true}]}
	denials(object.union(plan([private]), in_private_zone)) == set()
}
