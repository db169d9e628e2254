"""What extdns says to programs and to people about names, objects and plans.

Pure functions make documents of what the engine holds: frozen structs, each with its place in a
versioned JSON schema. Commands print them, the JSON API serves them, and the live page shows
them, so that all three say the same.

No I/O, no clock. What is read from a document again, such as its lines of text, is made of the
document alone.
"""
