# The image: docker buildx build --platform=linux/amd64,linux/arm64 --tag=NAME .
# Nothing here depends on the architecture: Python and all wheels are fetched for the one that is built for.
# A base that cannot change under one's feet: --build-arg=BASE=python@sha256:...
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ONLY_BINARY=:all:
WORKDIR /src

COPY requirements.txt requirements-build.txt ./
RUN python -m venv /opt/build \
    && python -m venv --without-pip /opt/extdns \
    && /opt/build/bin/pip install --require-hashes --requirement requirements-build.txt \
    && /opt/build/bin/pip --python /opt/extdns/bin/python install --require-hashes --requirement requirements.txt

# Of the SDK of AWS, the services that are called and those that lead to credentials; of the kubernetes package, what
# finds the API server and not its classes for every kind: together more than all the rest.
RUN find /opt/extdns/lib/python3*/site-packages/botocore/data -mindepth 1 -maxdepth 1 -type d \
        ! -name route53 ! -name signin ! -name sso ! -name sso-oidc ! -name sts -exec rm -r '{}' + \
    && find /opt/extdns/lib/python3*/site-packages/kubernetes/client/api \
        /opt/extdns/lib/python3*/site-packages/kubernetes/client/models -type f ! -path '*/__init__.*' -delete \
    && rm -r /opt/extdns/lib/python3*/site-packages/kubernetes/aio

COPY LICENSE README.md pyproject.toml ./
COPY extdns extdns
COPY providers providers
COPY registry registry
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /opt/build . \
    && /opt/build/bin/pip --python /opt/extdns/bin/python install --no-deps /opt/build/extdns-*.whl \
    && /opt/extdns/bin/python -m compileall -q /opt/extdns/lib

FROM ${BASE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="extdns" \
      org.opencontainers.image.description="Keeps DNS in step with Kubernetes; a drop-in replacement for external-dns" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# The second is for manifests that name the program of external-dns's image by its path.
COPY --from=build /opt/extdns /opt/extdns
COPY --from=build /opt/extdns/bin/external-dns /bin/external-dns

# Nothing is written but to standard output, so that the root file system can be read-only.
ENV PATH=/opt/extdns/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
WORKDIR /
USER 65532:65532
EXPOSE 7979
ENTRYPOINT ["extdns"]
