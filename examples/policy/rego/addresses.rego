# A public zone holds no private addresses, and no zone holds link-local or loopback ones.
package extdns

private_networks := {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"}

local_networks := {"169.254.0.0/16", "fe80::/10", "127.0.0.0/8", "::1/128"}

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
	msg := sprintf("%s is link-local or loopback (%s)", [address, network])
}

addresses contains address if {
	input.operation in {"CREATE", "UPDATE"}
	input.record.type in {"A", "AAAA"}
	some address in input.record.targets
}
