"""What the stand-ins for DNS services share: HTTP on loopback, and what goes wrong on the way.

    listener   HTTP/1.1 with or without TLS, a thread a connection
    answers    what goes back: an answer, an error, or nothing because the connection is cut
    faults     what a test arms: refusals, lost answers, stalls, an edit just before a call is carried out

Nothing here knows a service, or imports the product.
"""
