import { expect, test } from "vitest";
import { runtimeCommand } from "../../console/data/runtime-command.ts";

const orgId = "0191a2b3-0000-7000-8000-000000000001";
const own = { origin: "http://127.0.0.1:8080", orgId, isFirst: false };
const ofNpmStart = "http://127.0.0.1:8081";

test("the runtime of a second organization gets ports and a folder beside those of the first one", () => {
  const { start, url } = runtimeCommand({ ...own, runtimeUrl: ofNpmStart });
  expect(start).toContain("RUNTIME_PORT=8091 RUNTIME_MANAGEMENT_PORT=9091 POLICY_GUARD_DATA=var/runtime-0191a2b3 npm");
  expect(url).toBe("http://127.0.0.1:8091");
});

test("an address without a port has the one of its scheme", () => {
  expect(runtimeCommand({ ...own, runtimeUrl: "http://localhost" }).start).toContain("RUNTIME_PORT=90 ");
});

test("the first organization is led to the runtime that it has", () => {
  const { start, url } = runtimeCommand({ ...own, runtimeUrl: ofNpmStart, isFirst: true });
  expect(start).not.toContain("RUNTIME_PORT");
  expect(url).toBe(ofNpmStart);
});

test("a runtime on another machine takes no port here", () => {
  const elsewhere = "https://guard.example";
  expect(runtimeCommand({ ...own, runtimeUrl: elsewhere })).toEqual(
    runtimeCommand({ ...own, runtimeUrl: elsewhere, isFirst: true }),
  );
  expect(runtimeCommand({ ...own, runtimeUrl: undefined }).url).toBe("http://127.0.0.1:8081");
});
