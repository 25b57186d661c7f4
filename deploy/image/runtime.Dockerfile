# A runtime. Build it from the top of the repository:
#
#   docker build -f deploy/image/runtime.Dockerfile -t policy-guard-runtime .
#
# Its data folder is /data: give it a volume, since it keeps the last bundle and evaluations that are not reported yet.

FROM docker.io/library/node:24-bookworm-slim@sha256:242549cd46785b480c832479a730f4f2a20865d61ea2e404fdb2a5c3d3b73ecf AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Of the packages' own scripts only esbuild's is needed here; it checks its binary.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/pack-runtime.ts /policy-guard-runtime && mkdir -m 0700 /data

FROM gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a
COPY --from=build /policy-guard-runtime /opt/policy-guard-runtime
# A volume that is laid over it takes its owner from here.
COPY --from=build --chown=65532:65532 /data /data
ENV NODE_ENV=production HOST=0.0.0.0 MANAGEMENT_HOST=0.0.0.0 POLICY_GUARD_DATA=/data
USER 65532:65532
WORKDIR /tmp
VOLUME /data
EXPOSE 8081 9081
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "--heap-growing-percent=50", "--initial-old-space-size=96", "--no-allocation-site-pretenuring", "--no-parallel-scavenge", "/opt/policy-guard-runtime/lib/main.js"]
