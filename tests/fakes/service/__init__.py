"""Parts shared by the fakes of DNS services: an HTTP server on loopback, and faults.

    server         the base class of the fakes: start, URL, kill
    listener       HTTP/1.1 with or without TLS, one thread for each connection
    certificates   a self-signed certificate for loopback
    answers        responses, errors, and cut connections
    raw            a server that answers with arbitrary bytes
    faults         what a test can arm: refusals, lost responses, delays, an edit just before a call is carried out

Nothing here depends on a service or imports the product.
"""
