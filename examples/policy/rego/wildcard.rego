# Only some namespaces publish wildcards.
package extdns

deny contains {"rule": "wildcard", "msg": msg} if {
	input.operation in {"CREATE", "UPDATE"}
	startswith(input.record.name, "*.")
	not input.object.namespace in data.dns.wildcard_namespaces
	msg := sprintf("namespace %s may not publish a wildcard", [input.object.namespace])
}
