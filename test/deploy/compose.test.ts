// compose.yaml, read and followed without a container engine.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseMasterKeys } from "../../src/platform/seal.ts";
import { createRolesSql, prepareDatabaseSql } from "../../src/store/core/roles.ts";
import { environmentProblems, missingVariables } from "./environment.ts";

const root = resolve(import.meta.dirname, "..", "..");
const home = join(root, "deploy", "compose");

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const { services, volumes, secrets }: Compose = parse(readFileSync(join(home, "compose.yaml"), "utf8"), {
  merge: true,
});
const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);

function programOf(name: string): string {
  return name === "runtime" ? name : (services[name]?.command?.[0] ?? "");
}

function needs({ depends_on: needed = [] }: Service): string[] {
  return Array.isArray(needed) ? [...needed] : Object.keys(needed);
}

describe("compose.yaml", () => {
  it("has a database, one migration, two control planes, a worker, a runtime and a proxy", () => {
    expect(Object.keys(services).toSorted()).toEqual(
      ["control-plane-1", "control-plane-2", "migrate", "postgres", "proxy", "runtime", "worker"].toSorted(),
    );
  });

  it.each(ours)("%s gets variables that it reads, all that it requires, and its secrets as files", (name, service) => {
    const program = programOf(name);
    const environment = service.environment ?? {};
    const mounted = (path: string) => (service.secrets ?? []).some((secret) => path === `/run/secrets/${secret}`);
    expect(environmentProblems(program, environment, mounted)).toEqual([]);
    expect(missingVariables(program, environment)).toEqual([]);
    // No login but its own.
    for (const secret of service.secrets ?? [])
      expect(JSON.stringify(environment)).toContain(`/run/secrets/${secret}"`);
  });

  it.each(ours)("%s is read-only, without privileges, and has time to end in order", (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    if (programOf(_) !== "migrate") expect(service.stop_grace_period).toBe("40s");
    expect(existsSync(resolve(home, service.build?.context ?? "", service.build?.dockerfile ?? ""))).toBe(true);
  });

  it("waits for the migration with everything that uses the tables, and for the database with that", () => {
    for (const name of ["control-plane-1", "control-plane-2", "worker"]) {
      expect(services[name]?.depends_on).toEqual({ migrate: { condition: "service_completed_successfully" } });
    }
    expect(services.migrate?.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
  });

  it("names only services, volumes, secrets and files that exist, and other images by digest", () => {
    for (const [name, service] of Object.entries(services)) {
      for (const other of needs(service)) expect(services, name).toHaveProperty([other]);
      for (const secret of service.secrets ?? []) expect(secrets, name).toHaveProperty([secret]);
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        if (source.startsWith(".")) expect(existsSync(join(home, source)), volume).toBe(true);
        else expect(volumes, name).toHaveProperty([source]);
      }
      if (service.build === undefined) expect(service.image).toMatch(/@sha256:[0-9a-f]{64}$/);
    }
  });

  it("publishes its ports on this machine only, and the management ports nowhere", () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(["127.0.0.1:8080:80", "127.0.0.1:8081:8081"]);
  });
});

describe("the proxy", () => {
  it("leads to both control planes over HTTP/2 without TLS, and asks each whether it is ready", () => {
    const text = readFileSync(join(home, "Caddyfile"), "utf8");
    for (const name of ["control-plane-1", "control-plane-2"]) expect(text).toContain(`h2c://${name}:8080`);
    expect(text).toMatch(/health_uri \/readyz\s+health_port 9080/);
    expect(text).toContain("protocols h1 h2 h2c");
  });
});

describe("the secrets", () => {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-compose-"));
  const read = (name: string) => readFileSync(join(folder, "secrets", name), "utf8").trim();
  const make = () => execFileSync("sh", [join(folder, "make-secrets.sh")]);
  beforeAll(() => {
    cpSync(join(home, "make-secrets.sh"), join(folder, "make-secrets.sh"));
    make();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are all made by the script, in a folder that nobody else enters", () => {
    const made = readdirSync(join(folder, "secrets")).map((name) => `./secrets/${name}`);
    expect(made.toSorted()).toEqual(
      Object.values(secrets)
        .map(({ file }) => file)
        .toSorted(),
    );
    expect(statSync(join(folder, "secrets")).mode & 0o777).toBe(0o700);
  });

  it("are what the processes take", () => {
    expect(parseMasterKeys(read("master-key"))).toHaveLength(1);
    const logins = {
      "migration-url": ["owner", "owner"],
      url: ["app", "application"],
      "worker-url": ["worker", "worker"],
    };
    for (const [file, [role, login]] of Object.entries(logins)) {
      const url = new URL(read(`database-${file}`));
      expect([url.username, url.password, url.host]).toEqual([
        `policy_guard_${role}`,
        read(`database-${login}-password`),
        "postgres:5432",
      ]);
    }
  });

  it("stay when the script runs again", () => {
    const before = read("master-key");
    make();
    expect(read("master-key")).toBe(before);
  });
});

describe("the script of the database", () => {
  it("runs the statements that the product asks for", () => {
    const text = readFileSync(join(home, "roles.sh"), "utf8");
    const statements = `${createRolesSql({ owner: "", application: "", worker: "" })}\n${prepareDatabaseSql("policy_guard")}`;
    for (const line of statements.split("\n").filter((each) => /^(grant|revoke|alter database)/.test(each))) {
      expect(text).toContain(line);
    }
    // On an empty server a role is created with what is otherwise altered.
    for (const [, role, attributes] of statements.matchAll(/^alter role (\S+) ([a-z ]+?)(?: password .*)?;$/gm)) {
      expect(text).toContain(`create role ${role} ${attributes}`);
    }
  });
});
