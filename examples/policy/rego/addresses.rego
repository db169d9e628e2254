# A public zone holds no address that the Internet does not reach, and no zone holds one of this host or this link.
package extdns

# IANA's registries of special-purpose addresses, without documentation.
private_networks := in_ipv6({"10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15"}) | {
	"64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/32", "2001:2::/48", "2001:10::/28", "5f00::/16", "fc00::/7",
	"fec0::/10",
}

local_networks := in_ipv6({"0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"}) | {
	"::/96", "::ffff:0:0:0/96", "fe80::/10", "ff00::/8",
}

deny contains {"rule": "addresses", "msg": msg} if {
	some address in addresses
	not input.record.private
	some network in private_networks
	net.cidr_contains(network, address)
	msg := sprintf("%s is private (%s), and the zone is public", [address, network])
}

deny contains {"rule": "addresses", "msg": msg} if {
	some address in addresses
	some network in local_networks
	net.cidr_contains(network, address)
	msg := sprintf("%s is of this host, this link or a group (%s)", [address, network])
}

addresses contains address if {
	input.operation in {"CREATE", "UPDATE"}
	input.record.type in {"A", "AAAA"}
	some address in input.record.targets
}

# The IPv4 networks, also as the addresses of NAT64 and 6to4 that lead to them.
in_ipv6(networks) := {found |
	some network in networks
	[address, bits] := split(network, "/")
	some found in {network, nat64(address, to_number(bits)), six_to_four(address, to_number(bits))}
}

nat64(address, bits) := sprintf("64:ff9b::%s/%d", [address, 96 + bits])

six_to_four(address, bits) := sprintf("2002:%02x%02x:%02x%02x::/%d", array.concat(octets, [16 + bits])) if {
	octets := [to_number(octet) | some octet in split(address, ".")]
}
