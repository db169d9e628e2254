# What conftest checks in `extdns plan --output=json`: each change by the policies for one record, then the whole plan.
package main

deny contains finding if {
	some change in input.changes
	some request in requests(change)
	some found in data.extdns.deny with input as request
	finding := {
		"rule": found.rule,
		"msg": sprintf("%s %s: %s", [change.type, change.name, found.msg]),
	}
}

# More changes than usual.
warn contains {"rule": "mass-change", "msg": msg} if {
	count(input.changes) > data.dns.extdns.changes.warn
	count(input.changes) <= data.dns.extdns.changes.deny
	msg := sprintf("the plan changes %v records, which is more than %v", [count(input.changes), data.dns.extdns.changes.warn])
}

deny contains {"rule": "mass-change", "msg": msg} if {
	count(input.changes) > data.dns.extdns.changes.deny
	msg := sprintf("the plan changes %v records; allowed: %v", [count(input.changes), data.dns.extdns.changes.deny])
}

deny contains {"rule": "mass-change", "msg": msg} if {
	input.summary.delete > data.dns.extdns.changes.deletes
	msg := sprintf("the plan deletes %v records; allowed: %v", [input.summary.delete, data.dns.extdns.changes.deletes])
}

deny contains {"rule": "mass-change", "msg": "data.dns.extdns.changes is not loaded"} if not data.dns.extdns.changes

# A plan that lacks something could hide a change.
deny contains {"rule": "complete", "msg": msg} if {
	some missing in input.missing
	msg := sprintf("the plan is incomplete: %s", [missing])
}

# The change of a plan as the input of the policies for one record, once for each object that requests it. A plan has
# no labels and annotations of objects.
requests(change) := [request |
	change.action != "delete"
	some object in change.objects
	request := {
		"operation": upper(change.action),
		"source": object.source,
		"record": {
			"name": change.name,
			"labels": split(change.name, "."),
			"zone": change.zone.name,
			"private": is_private(change.zone),
			"type": change.type,
			"ttl": ttl(change.after),
			"targets": change.after.targets,
			"setIdentifier": change.setIdentifier,
			"properties": change.after.properties,
		},
		"object": {"kind": object.kind, "namespace": object.namespace, "name": object.name},
		"namespace": {"name": object.namespace},
	}
]

is_private(zone) if {
	some one in input.zones
	one.id == zone.id
	one.private
} else := false

# 0 stands for the default of the DNS service, as in the input of the policies.
ttl(record) := record.ttlSeconds if record.ttlSeconds != null

ttl(record) := 0 if record.ttlSeconds == null
