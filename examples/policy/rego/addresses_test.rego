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

test_an_address_of_this_host_or_link_is_denied_everywhere if {
	denials("shop", {"private": true, "targets": ["169.254.169.254"]}) == {{
		"rule": "addresses",
		"msg": "169.254.169.254 is of this host, this link or a group (169.254.0.0/16)",
	}}
	count(denials("shop", {"private": true, "targets": ["127.0.0.1"]})) == 1
	count(denials("shop", {"private": true, "type": "AAAA", "targets": ["::1"]})) == 1
	count(denials("shop", {"private": true, "type": "AAAA", "targets": ["::ffff:169.254.169.254"]})) == 1
}

test_an_address_that_the_internet_does_not_reach_is_denied_in_every_spelling if {
	every address in {"0.0.0.0", "100.100.100.200", "198.18.0.1", "224.0.0.1", "240.0.0.1"} {
		count(denials("shop", {"targets": [address]})) == 1
	}
	every address in {
		"::", "::a9fe:a9fe", "::ffff:0:a9fe:a9fe", "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::a00:1", "2002:a9fe:a9fe::1", "fec0::1", "ff02::1",
	} {
		count(denials("shop", {"type": "AAAA", "targets": [address]})) == 1
	}
	every address in {"203.0.113.7", "172.32.0.1", "2001:db8::1", "64:ff9b::cb00:7107", "2002:cb00:7107::1"} {
		denials("shop", {"targets": [address]}) == set()
	}
}

test_a_host_name_as_target_is_no_address if {
	denials("shop", {"type": "CNAME", "targets": ["lb.cloud.example"]}) == set()
}
