import { expect, test } from "vitest";
import { readSettings } from "../../../scripts/supervisor/settings.ts";

test("without any variable the documented ports and folder apply", () => {
  expect(readSettings({}, "/clone")).toEqual({
    dataFolder: "/clone/var",
    ports: {
      PORT: 8080,
      RUNTIME_PORT: 8081,
      MANAGEMENT_PORT: 9080,
      RUNTIME_MANAGEMENT_PORT: 9081,
      WORKER_MANAGEMENT_PORT: 9082,
    },
    host: "127.0.0.1",
    managementHost: "127.0.0.1",
    registration: "open",
    defaultPlan: "free",
    database: undefined,
  });
});

test.each([
  [{ HOST: "127.0.0.2" }, "open"],
  [{ HOST: "::1" }, "open"],
  [{ HOST: "0.0.0.0" }, "invite_only"],
  [{ HOST: "guard.example.com" }, "invite_only"],
  [{ HOST: "0.0.0.0", POLICY_GUARD_REGISTRATION: "open" }, "open"],
  [{ POLICY_GUARD_REGISTRATION: "invite_only" }, "invite_only"],
])("with %j registration is %s", (env, registration) => {
  expect(readSettings(env, "/clone").registration).toBe(registration);
});

test.each([
  [{ POLICY_GUARD_DATAS: "x" }, /^POLICY_GUARD_DATAS: nothing reads it; .*did you mean POLICY_GUARD_DATA\?$/],
  [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL: "loud"; expected one of trace/],
  [{ SESSION_TTL: "soon" }, /^SESSION_TTL: "soon"; expected a duration/],
  [{ BACKEND_ORIGINS: "model.example.com" }, /^BACKEND_ORIGINS: expected scheme, host and port only/],
  [{ POLICY_GUARD_MASTER_KEY: "short" }, /master key/i],
  [{ SMTP_URL: "smtp://mail.example.com" }, /^MAIL_FROM: unset; SMTP_URL needs it$/],
])("what a part would refuse is one line: %j", (env, line) => {
  expect(() => readSettings(env, "/clone")).toThrow(line);
  expect(() => readSettings(env, "/clone")).not.toThrow("\n");
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
  const [a, b, c] = ["postgres://a", "postgres://b", "postgres://c"];
  expect(() => readSettings({ DATABASE_URL: a }, "/clone")).toThrow(
    "DATABASE_MIGRATION_URL, DATABASE_WORKER_URL: unset",
  );
  const env = { DATABASE_URL: a, DATABASE_MIGRATION_URL: b, DATABASE_WORKER_URL: c };
  expect(readSettings(env, "/clone").database).toEqual({ applicationUrl: a, migrationUrl: b, workerUrl: c });
});

test("every problem is told at once", () => {
  expect(() => readSettings({ PORT: "x", DATABASE_URL: "a" }, "/clone")).toThrow(/PORT: [\s\S]*DATABASE_MIGRATION_URL/);
});
