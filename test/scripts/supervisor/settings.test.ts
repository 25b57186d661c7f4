import { expect, test } from "vitest";
import { readSettings } from "../../../scripts/supervisor/settings.ts";

test("without any variable the documented ports and folder hold", () => {
  expect(readSettings({}, "/clone")).toEqual({
    dataFolder: "/clone/var",
    ports: {
      PORT: 8080,
      RUNTIME_PORT: 8081,
      MANAGEMENT_PORT: 9080,
      RUNTIME_MANAGEMENT_PORT: 9081,
      WORKER_MANAGEMENT_PORT: 9082,
    },
    database: undefined,
  });
});

test("management ports follow the main ports", () => {
  const { ports } = readSettings({ PORT: "7000", RUNTIME_PORT: "7500" }, "/clone");
  expect(ports).toMatchObject({ MANAGEMENT_PORT: 8000, RUNTIME_MANAGEMENT_PORT: 8500, WORKER_MANAGEMENT_PORT: 8002 });
});

test.each(["0", "65536", "80a", "-1", "8080.5"])("PORT=%s is refused with what is expected", (PORT) => {
  expect(() => readSettings({ PORT }, "/clone")).toThrow(`PORT: "${PORT}"; expected a port from 1 to 65535`);
});

test("two parts on one port are refused", () => {
  expect(() => readSettings({ PORT: "8081" }, "/clone")).toThrow("PORT and RUNTIME_PORT are both 8081");
});

test("a database of the operator's own needs all three logins", () => {
  expect(() => readSettings({ DATABASE_URL: "postgres://a" }, "/clone")).toThrow(
    "DATABASE_MIGRATION_URL, DATABASE_WORKER_URL: unset",
  );
  const env = { DATABASE_URL: "a", DATABASE_MIGRATION_URL: "b", DATABASE_WORKER_URL: "c" };
  expect(readSettings(env, "/clone").database).toEqual({ applicationUrl: "a", migrationUrl: "b", workerUrl: "c" });
});

test("every problem is told at once", () => {
  expect(() => readSettings({ PORT: "x", DATABASE_URL: "a" }, "/clone")).toThrow(/PORT: [\s\S]*DATABASE_MIGRATION_URL/);
});
