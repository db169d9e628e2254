package extdns_test

test_a_ttl_below_the_floor_is_denied if {
	denials("shop", {"ttl": 59}) == {{
		"rule": "ttl",
		"msg": "the TTL is 59 seconds, but at least 60 are required",
	}}
}

test_the_floor_itself_and_the_default_of_the_service_are_allowed if {
	denials("shop", {"ttl": 60}) == set()
	denials("shop", {"ttl": 0}) == set()
}
