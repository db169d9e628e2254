"""DNS services, one package each.

A provider lists zones, reads records by page or by name, adjusts desired records to what its service can
hold, and sends each batch once. It returns the outcome of a batch as a value. The engine decides about
retries, and whether to write at all. `Capabilities` describe what a service can do.

A provider imports values (`extdns.model`), ports and errors, but no source, registry or other provider.
Only one file of a provider imports its SDK, and the classes and exceptions of the SDK do not leave that file.
Its flags are imported at every start, other files only if the provider is chosen.

Import as `from providers.x import ...`: the name `providers` alone is used for variables.
"""
