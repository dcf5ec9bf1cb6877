# The first stage installs the packages, builds the pages and removes everything that the server does not need. The second stage has Debian, Node and
# the server. deploy/try-image.sh runs the same steps without a container engine.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN apt-get update && apt-get install -y --no-install-recommends binutils && sh deploy/image-build.sh /out

FROM debian:bookworm-slim
COPY --from=build /out/ /
RUN sh /opt/agmd/image-finish.sh
ENV NODE_ENV=production AGMD_HOST=0.0.0.0 AGMD_DATA_DIR=/data
WORKDIR /data
USER agmd
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["agmd-healthcheck"]
ENTRYPOINT ["agmd-server"]
