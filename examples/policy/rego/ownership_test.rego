package extdns_test

import data.extdns

request(namespace, record) := {
	"operation": "CREATE",
	"object": {"namespace": namespace},
	"record": object.union(public_address, record),
}

public_address := {"name": "web.shop.example", "private": false, "type": "A", "ttl": 0, "targets": ["203.0.113.7"]}

settings := {"extdns": {
	"namespaces": {"shop": ["shop.example", "shop.test"], "platform": ["shop.example"]},
	"wildcards": {"namespaces": ["platform"]},
	"ttl": {"min": 60},
	"changes": {"warn": 2, "deny": 4, "deletes": 1},
}}

denials(namespace, record) := found if {
	found := extdns.deny with input as request(namespace, record) with data.dns as settings
}

test_a_namespace_publishes_below_its_domains if {
	denials("shop", {}) == set()
	denials("shop", {"name": "shop.test"}) == set()
}

test_a_namespace_publishes_no_name_elsewhere if {
	denials("shop", {"name": "web.other.example"}) == {{
		"rule": "ownership",
		"msg": "namespace shop may publish only below: shop.example, shop.test",
	}}
}

test_a_domain_that_only_ends_alike_is_another_one if {
	count(denials("shop", {"name": "eshop.example"})) == 1
}

test_a_namespace_without_domains_publishes_nothing if {
	denials("labs", {}) == {{"rule": "ownership", "msg": "namespace labs may publish only below: nothing"}}
}

test_without_settings_nothing_is_published if {
	found := extdns.deny with input as request("platform", {"name": "*.shop.example"}) with data.dns as {}
	{one.rule | some one in found} == {"ownership", "ttl", "wildcard"}
}

test_a_delete_is_not_judged_by_the_owner if {
	deleted := object.union(request("labs", {"ttl": 1}), {"operation": "DELETE"})
	extdns.deny == set() with input as deleted with data.dns as settings
}
