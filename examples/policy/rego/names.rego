# What several policies of this folder use.
package extdns.names

# Whether a name is a domain or below it.
is_below(name, domain) if name == domain

is_below(name, domain) if endswith(name, concat("", [".", domain]))

# Whether a name is one of several domains, or below one.
is_below_any(name, domains) if {
	some domain in domains
	is_below(name, domain)
}
