# Only some namespaces publish wildcards.
package extdns

deny contains {"rule": "wildcard", "msg": msg} if {
	input.operation in {"CREATE", "UPDATE"}
	startswith(input.record.name, "*.")
	not may_publish_wildcards
	msg := sprintf("namespace %s may not publish a wildcard", [input.object.namespace])
}

# A rule of its own, because `not` with a function of missing data would deny nothing.
may_publish_wildcards if input.object.namespace in data.dns.extdns.wildcards.namespaces
