# docker build -t tollgate . && docker run -p 3000:3000 -v tollgate:/data tollgate
# Nothing is written outside /data and /tmp: `--read-only --tmpfs /tmp` holds. Renovate pins both images to their digests.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
ARG TARGETARCH
WORKDIR /src
COPY . .
RUN npm run --silent package -- ${TARGETARCH:+--arch=$TARGETARCH} --out=/out \
  && mkdir -p /opt/tollgate /data && tar -xzf /out/*.tar.gz -C /opt/tollgate --strip-components=1

# A C library, libstdc++ and certificates: no shell, no package manager.
FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=build /opt/tollgate /opt/tollgate
COPY --from=build --chown=10001:10001 --chmod=700 /data /data
USER 10001:10001
WORKDIR /data
ENV DATA_DIR=/data HOME=/data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --start-period=30s CMD ["/opt/tollgate/bin/node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/opt/tollgate/bin/node", "/opt/tollgate/bin/command.mjs"]
