# A namespace publishes names only below its own domains.
package extdns

import data.extdns.names

deny contains {"rule": "ownership", "msg": msg} if {
	input.operation in {"CREATE", "UPDATE"}
	namespace := input.object.namespace
	domains := object.get(data.dns.extdns.namespaces, namespace, [])
	not names.is_below_any(input.record.name, domains)
	msg := sprintf("namespace %s may publish only below: %s", [namespace, allowed(domains)])
}

allowed(domains) := concat(", ", domains) if count(domains) > 0

allowed([]) := "nothing"

deny contains {"rule": "ownership", "msg": "data.dns.extdns.namespaces is not loaded"} if {
	input.operation in {"CREATE", "UPDATE"}
	not data.dns.extdns.namespaces
}
