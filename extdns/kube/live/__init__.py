"""The live cluster: objects of an API server, listed once and watched from then on.

`wire` reads what the server sends, `deep` what is nested too deeply for that; `roll` keeps what one
list and watch has shown and tells what is new in what comes next, `pace` says when to try again, and
`reflector` is the thread that lists and watches one kind in one namespace. `phases` joins what several
of them say of a kind, `existence` asks for a single object, and `cluster` gives all of it out under the
same port as manifests.

An answer that is late, cut, of another kind or no JSON is an error and never an empty list; what a
complete list lacks is missing, which is not the same as deleted. An object that cannot be read fails
alone: its last good version stays.
"""
