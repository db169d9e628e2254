# The image: .ci/release publishes it for both architectures; docker buildx build --tag=NAME . builds it for this machine.
# Digests of the bases cover all architectures; Dependabot updates them. docs/design/release.md has the reasons.

# Nothing runs on the architecture of the image: pip fetches the wheels for it, and bytecode is the same everywhere.
FROM --platform=${BUILDPLATFORM} python:3.13-slim-trixie@sha256:9d2e5553305c7c7b0097999bb17187c69b921ccd6bc9d40e4bb5ebe652c00285 AS build
ARG TARGETARCH=amd64
ARG SOURCE_DATE_EPOCH=0
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
WORKDIR /src
COPY requirements.txt ./
COPY release release
COPY extdns extdns
COPY providers providers
COPY registry registry
RUN python -m release.image_root --arch="${TARGETARCH}" /opt/extdns

# Python of Debian 13, without a shell or a package manager.
FROM gcr.io/distroless/python3-debian13:nonroot@sha256:83aa8d4f74a4d7f7cf2d472054139bef71a927b76c680c0f2e1021d6b1d6d732
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="extdns" \
      org.opencontainers.image.description="Keeps DNS in step with Kubernetes; a drop-in replacement for external-dns" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.vendor="The extdns authors" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.url="${SOURCE}" \
      org.opencontainers.image.documentation="${SOURCE}/blob/v${VERSION}/docs/README.md"

# The second is for manifests that name the program of external-dns's image by its path.
COPY --from=build /opt/extdns /opt/extdns
COPY --from=build /opt/extdns/bin/external-dns /bin/external-dns

# Nothing is written but to standard output, so that the root file system can be read-only.
ENV PATH=/opt/extdns/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
WORKDIR /
USER 65532:65532
EXPOSE 7979
STOPSIGNAL SIGTERM
ENTRYPOINT ["extdns"]
