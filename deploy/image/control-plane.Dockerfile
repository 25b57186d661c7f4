# The control plane, its worker and its commands: the first argument names the program (control-plane, worker, migrate,
# operator, set-password, reseal, reapply-erasures). Build it from the top of the repository:
#
#   docker build -f deploy/image/control-plane.Dockerfile -t policy-guard-control-plane .
#
# Bases are named by digest, and every release renews them: docs/deploy/compose.md says how.

FROM docker.io/library/node:24-bookworm-slim@sha256:242549cd46785b480c832479a730f4f2a20865d61ea2e404fdb2a5c3d3b73ecf AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Of the packages' own scripts only esbuild's is needed here; it checks its binary.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/pack-control-plane.ts /policy-guard

FROM gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a
COPY --from=build /policy-guard /opt/policy-guard
ENV NODE_ENV=production HOST=0.0.0.0 MANAGEMENT_HOST=0.0.0.0 CONSOLE_FOLDER=/opt/policy-guard/console
USER 65532:65532
WORKDIR /tmp
EXPOSE 8080 9080 9082
ENTRYPOINT ["/nodejs/bin/node", "/opt/policy-guard/lib/program.js"]
CMD ["control-plane"]
