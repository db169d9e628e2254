package extdns_test

test_a_private_address_in_a_public_zone_is_denied if {
	denials("shop", {"targets": ["203.0.113.7", "10.1.2.3"]}) == {{
		"rule": "addresses",
		"msg": "10.1.2.3 is private (10.0.0.0/8), and the zone is public",
	}}
	count(denials("shop", {"type": "AAAA", "targets": ["fd00::1"]})) == 1
}

test_a_private_address_in_a_private_zone_is_allowed if {
	denials("shop", {"private": true, "targets": ["10.1.2.3"]}) == set()
}

test_a_link_local_or_loopback_address_is_denied_everywhere if {
	denials("shop", {"private": true, "targets": ["169.254.169.254"]}) == {{
		"rule": "addresses",
		"msg": "169.254.169.254 is link-local or loopback (169.254.0.0/16)",
	}}
	count(denials("shop", {"private": true, "targets": ["127.0.0.1"]})) == 1
	count(denials("shop", {"private": true, "type": "AAAA", "targets": ["::1"]})) == 1
	count(denials("shop", {"private": true, "type": "AAAA", "targets": ["::ffff:169.254.169.254"]})) == 1
}

test_a_host_name_as_target_is_no_address if {
	denials("shop", {"type": "CNAME", "targets": ["lb.cloud.example"]}) == set()
}
