# docker build -t tollgate . && docker run -p 3000:3000 -v tollgate:/data tollgate
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm run --silent package -- --out=/out \
  && mkdir /tollgate && tar -xzf /out/*.tar.gz -C /tollgate --strip-components=1

FROM debian:stable-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin tollgate \
  && install -d -o tollgate -g tollgate -m 700 /data \
  && apt-get update && apt-get install -y --no-install-recommends ca-certificates libstdc++6 \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /tollgate /opt/tollgate
USER tollgate
ENV DATA_DIR=/data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --start-period=30s CMD ["/opt/tollgate/bin/node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/opt/tollgate/bin/tollgate"]
