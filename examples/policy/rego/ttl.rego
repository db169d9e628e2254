# A TTL is not too short. Records without a TTL get that of the DNS service.
package extdns

deny contains {"rule": "ttl", "msg": msg} if {
	input.operation in {"CREATE", "UPDATE"}
	input.record.ttl > 0
	input.record.ttl < data.dns.min_ttl
	msg := sprintf("the TTL is %v seconds, but at least %v are required", [input.record.ttl, data.dns.min_ttl])
}
