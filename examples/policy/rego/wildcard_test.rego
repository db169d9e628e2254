package extdns_test

test_only_the_platform_publishes_wildcards if {
	denials("platform", {"name": "*.shop.example"}) == set()
	denials("shop", {"name": "*.shop.example"}) == {{
		"rule": "wildcard",
		"msg": "namespace shop may not publish a wildcard",
	}}
}
