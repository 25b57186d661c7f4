import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, expectTypeOf, test } from "vitest";
import { runtimeSchema } from "../../../../runtime/config.ts";
import { cliSchema } from "../../../../src/cli/settings.ts";
import { bootstrapSchema, controlPlaneSchema, workerSchema } from "../../../../src/config.ts";
import {
  ConfigError,
  defineSchema,
  describeSchema,
  type Environment,
  fileVariable,
  productVariables,
  readConfig,
  type Schema,
  withFilesRead,
} from "../../../../src/kit/process/config.ts";

const schema = defineSchema({
  port: { name: "PORT", kind: "port", default: "8080", description: "Port of the API." },
  databaseUrl: {
    name: "DATABASE_URL",
    kind: "url",
    schemes: ["postgres", "postgresql"],
    required: true,
    secret: true,
    description: "Database.",
  },
  level: { name: "LOG_LEVEL", kind: "enum", values: ["debug", "info"], default: "info", description: "Log level." },
  drainDelayMs: { name: "DRAIN_DELAY", kind: "duration", default: "0s", description: "Drain delay." },
  pool: { name: "POOL", kind: "int", min: 1, max: 50, default: "10", description: "Pool size." },
  demo: { name: "POLICY_GUARD_DEMO", kind: "bool", default: "true", description: "Demo data." },
  allow: { name: "POLICY_GUARD_ALLOW_NETWORKS", kind: "cidr-list", description: "Networks." },
  hashes: { name: "POLICY_GUARD_TOKEN_HASHES", kind: "list", description: "Hashes." },
  data: { name: "POLICY_GUARD_DATA", kind: "path", default: "var", description: "Data folder." },
});

const good: Environment = { DATABASE_URL: "postgres://app:hunter2@db/app" };

function problemsOf(env: Environment, alsoKnown?: readonly string[], of: Schema = schema) {
  try {
    readConfig(of, env, alsoKnown);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("the environment was accepted");
}

test("defaults apply to unset variables, and each value has the type of its kind", () => {
  const config = readConfig(schema, good);
  expect(config).toEqual({
    port: 8080,
    databaseUrl: "postgres://app:hunter2@db/app",
    level: "info",
    drainDelayMs: 0,
    pool: 10,
    demo: true,
    data: resolve("var"),
  });
  expectTypeOf(config.port).toEqualTypeOf<number>();
  expectTypeOf(config.level).toEqualTypeOf<"debug" | "info">();
  expectTypeOf(config.allow).toEqualTypeOf<readonly string[] | undefined>();
});

test("set values replace defaults, and an empty text counts as unset", () => {
  const config = readConfig(schema, {
    ...good,
    PORT: "",
    LOG_LEVEL: "debug",
    DRAIN_DELAY: "5s",
    POLICY_GUARD_DEMO: "false",
    POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8, fd00::/8",
    POLICY_GUARD_TOKEN_HASHES: "a,b",
  });
  expect(config).toMatchObject({ port: 8080, level: "debug", drainDelayMs: 5_000, demo: false, hashes: ["a", "b"] });
  expect(config.allow).toEqual(["127.0.0.0/8", "fd00::/8"]);
});

test("five problems are reported in one error, each with the given and the expected value", () => {
  const error = problemsOf({
    PORT: "80800",
    LOG_LEVEL: "loud",
    DRAIN_DELAY: "5 seconds",
    POOL: "0",
  });
  expect(error.problems.map(({ name }) => name)).toEqual(["PORT", "DATABASE_URL", "LOG_LEVEL", "DRAIN_DELAY", "POOL"]);
  expect(error.message).toContain("5 wrong settings");
  expect(error.message).toContain('LOG_LEVEL: "loud"; expected one of debug, info');
  expect(error.message).toContain("DATABASE_URL: unset; expected a URL that begins with postgres:// or postgresql://");
});

test("a duration beyond its limit is refused with the limit", () => {
  const limited = defineSchema({
    wait: { name: "WAIT", kind: "duration", max: "10s", default: "0ms", description: "Wait." },
  });
  expect(readConfig(limited, { WAIT: "10s" })).toEqual({ wait: 10_000 });
  expect(readConfig(limited, { WAIT: "9999ms" })).toEqual({ wait: 9_999 });
  for (const WAIT of ["10001ms", "1m"])
    expect(() => readConfig(limited, { WAIT })).toThrow("expected a duration such as 250ms or 10s, at most 10s");
});

test("the value of a secret is never shown", () => {
  const error = problemsOf({ DATABASE_URL: "mysql://app:hunter2@db" });
  expect(error.problems).toHaveLength(1);
  expect(JSON.stringify(error.problems) + error.message).not.toContain("hunter2");
});

test("a variable with the product's prefix that nobody reads is an error that names the nearest one", () => {
  const error = problemsOf({ ...good, POLICY_GUARD_DTAA: "x", POLICY_GUARD_WEATHER_REPORT: "x", OTHER_DTAA: "x" });
  expect(error.problems).toEqual([
    {
      name: "POLICY_GUARD_DTAA",
      given: "nothing reads it",
      expected: "no such variable; did you mean POLICY_GUARD_DATA?",
    },
    { name: "POLICY_GUARD_WEATHER_REPORT", given: "nothing reads it", expected: "no such variable" },
  ]);
});

test("variables that another process of the product reads are no errors", () => {
  expect(readConfig(schema, { ...good, POLICY_GUARD_URL: "x" }, ["POLICY_GUARD_URL"]).port).toBe(8080);
});

test.each([
  ["PORT", ["-1", "65536", "1e3", "0x50", " 80", "8080.5"]],
  ["POOL", ["51", "99999999999999999999", "ten"]],
  ["DRAIN_DELAY", ["5", "-5s", "1w", "25d", "1.5s"]],
  ["POLICY_GUARD_DEMO", ["yes", "1", "TRUE"]],
  ["POLICY_GUARD_ALLOW_NETWORKS", ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/8,,", "localhost/8"]],
  ["POLICY_GUARD_TOKEN_HASHES", ["a,,b"]],
  ["DATABASE_URL", ["db/app", "https://db", "postgres:db"]],
])("%s refuses %j", (name, values) => {
  for (const value of values) expect(problemsOf({ ...good, [name]: value }).problems, value).toHaveLength(1);
});

test("a secret-file gives the content of the file, and a missing or empty one is an error", () => {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  try {
    writeFileSync(join(folder, "full"), "s3cret\n");
    writeFileSync(join(folder, "empty"), "\n");
    const files = defineSchema({ key: { name: "KEY_FILE", kind: "secret-file", description: "Key." } });
    expect(readConfig(files, { KEY_FILE: join(folder, "full") }).key).toBe("s3cret");
    for (const name of ["empty", "missing"]) {
      expect(problemsOf({ KEY_FILE: join(folder, name) }, [], files).problems).toHaveLength(1);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("a secret in a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "config-secret-"));
  const file = join(folder, "url");
  writeFileSync(file, "postgres://app:hunter2@db/app\n");
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is read from the file that NAME_FILE names", () => {
    expect(readConfig(schema, { DATABASE_URL_FILE: file }).databaseUrl).toBe("postgres://app:hunter2@db/app");
    expect(readConfig(schema, { DATABASE_URL_FILE: "", ...good }).databaseUrl).toBe(good.DATABASE_URL);
    expect(withFilesRead({ DATABASE_URL_FILE: file, PORT_FILE: file, A: "b" }, [schema])).toEqual({
      DATABASE_URL: "postgres://app:hunter2@db/app",
      PORT_FILE: file,
      A: "b",
    });
  });

  test("is refused beside its value, and where the file has nothing or another thing", () => {
    const missing = join(folder, "missing");
    expect(problemsOf({ ...good, DATABASE_URL_FILE: file }).problems).toEqual([
      { name: "DATABASE_URL_FILE", given: "set beside DATABASE_URL", expected: "one of the two" },
    ]);
    expect(problemsOf({ DATABASE_URL_FILE: missing }).message).toContain("a readable file that is not empty");
    expect(withFilesRead({ DATABASE_URL_FILE: missing }, [schema])).toEqual({ DATABASE_URL_FILE: missing });
    writeFileSync(join(folder, "other"), "mysql://app:hunter2@db");
    const error = problemsOf({ DATABASE_URL_FILE: join(folder, "other") });
    expect(error.problems).toHaveLength(1);
    expect(error.message).not.toContain("hunter2");
  });

  test("is no way to give what is no secret", () => {
    expect(problemsOf({ ...good, POLICY_GUARD_DATA_FILE: file }).problems).toHaveLength(1);
  });
});

describe("in a cluster of Kubernetes", () => {
  const cluster = { ...good, KUBERNETES_SERVICE_HOST: "10.0.0.1" };
  const links = {
    POLICY_GUARD_RUNTIME_SERVICE_HOST: "10.0.0.7",
    POLICY_GUARD_RUNTIME_SERVICE_PORT: "8081",
    POLICY_GUARD_RUNTIME_SERVICE_PORT_HTTP: "8081",
    POLICY_GUARD_RUNTIME_PORT: "tcp://10.0.0.7:8081",
    POLICY_GUARD_RUNTIME_PORT_8081_TCP: "tcp://10.0.0.7:8081",
    POLICY_GUARD_RUNTIME_PORT_8081_TCP_ADDR: "10.0.0.7",
  };

  test("variables that the cluster makes of Services are no mistakes of the operator", () => {
    expect(readConfig(schema, { ...cluster, ...links }).port).toBe(8080);
    expect(problemsOf({ ...good, ...links }).problems).toHaveLength(6);
    expect(problemsOf({ ...cluster, POLICY_GUARD_DTAA: "x" }).problems).toHaveLength(1);
  });

  test("one that replaces a variable of the product is named with its remedy", () => {
    expect(problemsOf({ ...cluster, PORT: "tcp://10.0.0.7:80" }).message).toContain("enableServiceLinks: false");
    expect(problemsOf({ ...good, PORT: "tcp://10.0.0.7:80" }).message).not.toContain("enableServiceLinks");
  });
});

test("the schema prints as a table with one row a variable", () => {
  const lines = describeSchema(schema).split("\n");
  expect(lines).toHaveLength(2 + Object.keys(schema).length);
  expect(lines[2]).toBe("| `PORT` | a port from 0 to 65535 (0 for any free one) | `8080` | Port of the API. |");
  expect(lines[3]).toContain("| required |");
});

test("every variable with the product's prefix is known to every process", () => {
  const schemas: readonly Schema[] = [controlPlaneSchema, workerSchema, bootstrapSchema, runtimeSchema, cliSchema];
  const names = schemas.flatMap((each) =>
    Object.values(each).flatMap((variable) => [variable.name, fileVariable(variable) ?? ""]),
  );
  const own = new Set(names.filter((name) => name.startsWith("POLICY_GUARD_")));
  expect([...own].toSorted()).toEqual(productVariables.toSorted());
});
