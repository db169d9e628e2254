"""Parts shared by the fakes: an HTTP server on loopback, and faults. The API server uses `listener` and `faults`.

    server         the base class of the fakes: start, URL, kill
    listener       HTTP/1.1 with or without TLS, one thread for each connection
    certificates   a self-signed certificate for loopback
    answers        responses, errors, and cut connections
    raw            servers that speak no HTTP, or answer with arbitrary bytes
    log            the calls received
    faults         what a test can arm: refusals, lost responses, delays, an edit just before a call is carried out

Nothing here depends on a service or imports the product.
"""
