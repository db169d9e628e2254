# A TTL is not too short. Records without a TTL get that of the DNS service.
package extdns

import data.dns.extdns.ttl

deny contains {"rule": "ttl", "msg": msg} if {
	input.operation in {"CREATE", "UPDATE"}
	input.record.ttl > 0
	input.record.ttl < ttl.min
	msg := sprintf("the TTL is %v seconds, but at least %v are required", [input.record.ttl, ttl.min])
}

deny contains {"rule": "ttl", "msg": "data.dns.extdns.ttl.min is not loaded"} if {
	input.operation in {"CREATE", "UPDATE"}
	not ttl.min
}
