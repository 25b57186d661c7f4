// The packed control plane as its image has it: in a root of its own, read-only, as an unprivileged user.

import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runtimeNodeOptions } from "../../../runtime/node-option.ts";
import { packControlPlane } from "../../../scripts/pack/control-plane.ts";
import { packRuntime } from "../../../scripts/pack/runtime.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { eventually } from "../../harness/eventually.ts";
import { canChangeRoot, layBase, type RunningProgram, runInImage, startInImage } from "../../harness/process/image.ts";

const root = mkdtempSync(join(tmpdir(), "policy-guard-image-"));
const tree = join(root, "tree");
const folder = join(tree, "opt", "policy-guard");
const program = "/opt/policy-guard/lib/program.js";

beforeAll(() => packControlPlane(folder));

afterAll(() => rmSync(root, { recursive: true, force: true }));

const policy = `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [first]}}
rules:
  - {id: word, stages: [input], detect: words, action: BLOCK}
`;

/** Path, mode and digest of each file. */
function contents(of: string): string[] {
  return readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => {
      const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
      return `${relative(of, path)} ${(statSync(path).mode & 0o777).toString(8)} ${digest}`;
    })
    .sort();
}

describe("the packed control plane", () => {
  it("is the same to the byte when it is packed again, as the command for production does", async () => {
    const again = join(root, "again");
    vi.stubEnv("NODE_ENV", "production");
    const { bytes } = await packControlPlane(again).finally(() => vi.unstubAllEnvs());
    expect(contents(again)).toEqual(contents(folder));
    // With Node and the base image, below 280 MB.
    expect(bytes).toBeLessThan(60 * 2 ** 20);
    expect(readFileSync(join(folder, "LICENCES"), "utf8")).toMatch(/^graphile-worker \S+ \(MIT\)$/m);
  });

  it("has a bill of the packages whose code it has, with the digests of the lock file", async () => {
    const console = mkdtempSync(join(tmpdir(), "policy-guard-console-"));
    // As a build of the console leaves it.
    const { version } = JSON.parse(readFileSync("node_modules/react/package.json", "utf8"));
    writeFileSync(join(console, "licences.json"), JSON.stringify([{ name: "react", version }]));
    const packed = join(root, "with-console");
    await packControlPlane(packed, { console });
    const { components } = JSON.parse(readFileSync(join(packed, "sbom.cdx.json"), "utf8"));
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
    const licences = readFileSync(join(packed, "LICENCES"), "utf8");
    for (const { name, version, purl, hashes } of components) {
      expect(licences).toContain(`${name} ${version} (`);
      expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
      const [{ alg, content }] = hashes;
      expect(alg).toBe("SHA-512");
      const digest = `sha512-${Buffer.from(content, "hex").toString("base64")}`;
      const locked = Object.values<{ integrity?: string }>(lock.packages).some(({ integrity }) => integrity === digest);
      expect(locked, name).toBe(true);
    }
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["graphile-worker", "pg", "react", "stripe"]));
    expect(names).not.toContain("vitest");
    writeFileSync(join(console, "licences.json"), JSON.stringify([{ name: "react", version: "0.0.1" }]));
    await expect(packControlPlane(packed, { console })).rejects.toThrow("the console has another react");
    rmSync(console, { recursive: true });
  });

  it.runIf(process.getuid?.() === 0)("starts as a user without a name and without a home", async () => {
    chmodSync(root, 0o755);
    // The one of the checkout may lie where others have no way in.
    copyFileSync(process.execPath, join(root, "node"));
    const started = promisify(execFile)(join(folder, "bin", "policy-guard-control-plane"), ["worker"], {
      env: { PATH: `${root}:/usr/bin:/bin` },
      uid: 54_321,
      gid: 54_321,
    });
    await expect(started).rejects.toMatchObject({
      stderr: expect.stringMatching("the worker does not start: [0-9]+ wrong"),
    });
  });

  it("has neither sources nor tests nor a token", () => {
    const names = contents(folder).map((line) => line.split(" ")[0] ?? "");
    expect(names.filter((name) => /\.ts$|node_modules|\.env$|master\.key|bootstrap\.json/.test(name))).toEqual([]);
  });
});

describe.runIf(canChangeRoot())("the images, read-only and without a shell", () => {
  let urls: TestDatabase;
  const running: RunningProgram[] = [];
  const masterKey = randomBytes(32).toString("base64");

  beforeAll(async () => {
    urls = await createTestDatabase();
    layBase(tree);
    await packRuntime(join(tree, "opt", "policy-guard-runtime"));
    // As secrets are mounted.
    writeFileSync(join(tree, "etc", "master-key"), `${masterKey}\n`);
    writeFileSync(join(tree, "etc", "database-url"), `${urls.applicationUrl}\n`);
  });

  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await urls.drop();
  });

  const secrets = { POLICY_GUARD_MASTER_KEY_FILE: "/etc/master-key" };

  it("migrates, makes an organization, analyses a policy, works on jobs, and evaluates", async () => {
    const application = { DATABASE_URL_FILE: "/etc/database-url" };
    await runInImage({ tree, args: [program, "migrate"], env: { DATABASE_MIGRATION_URL: urls.migrationUrl } });
    const made: { org_id: string; password: string } = JSON.parse(
      await runInImage({
        tree,
        args: [program, "operator", "create-organization", "Acme", "--owner", "ada@example.com", "--json"],
        env: application,
      }),
    );
    const worker = await startInImage({
      tree,
      args: [program, "worker"],
      env: { ...secrets, DATABASE_WORKER_URL: urls.workerUrl, WORKER_MANAGEMENT_PORT: "0" },
      readyMessage: "worker is running",
    });
    running.push(worker);
    const plane = await startInImage({
      tree,
      args: [program, "control-plane"],
      env: { ...secrets, ...application, PORT: "0", MANAGEMENT_PORT: "0" },
      readyMessage: "control plane is listening",
    });
    running.push(plane);
    const url = `http://127.0.0.1:${plane.facts.port}`;
    const post = async (path: string, body: object, token?: string) => {
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      });
      // biome-ignore lint/suspicious/noExplicitAny: the tests below compare it with what they want.
      return { status: response.status, body: (await response.json()) as any };
    };
    const { body: session } = await post("/v1/auth/login", { email: "ada@example.com", password: made.password });
    const { access_token: token } = session.tokens;
    const { status, body: project } = await post(`/v1/orgs/${made.org_id}/projects`, { name: "Support" }, token);
    expect(status).toBe(201);
    const scope = { app_id: project.id };
    const policies = `/v1/orgs/${made.org_id}/policies`;
    // The process that analyses is a file of the image as well.
    expect(await post(policies, { document: policy, scope }, token)).toMatchObject({ status: 201 });
    const broken = await post(policies, { document: policy.replace("words,", "wrods,"), scope }, token);
    expect(broken.status).toBe(422);
    expect((await fetch(`${url}/v1/openapi.json`)).status).toBe(200);
    // A runtime in its own image enforces the policy.
    const publish = `/v1/orgs/${made.org_id}/projects/${project.id}/envs/prod/bundles/publish`;
    expect(await post(publish, { activate: true }, token)).toMatchObject({ status: 201 });
    const issued = await post(
      `/v1/orgs/${made.org_id}/tokens/runtime`,
      { name: "image", project_id: project.id, environment: "prod" },
      token,
    );
    expect(issued.status).toBe(201);
    writeFileSync(join(tree, "etc", "token"), issued.body.token);
    const runtime = await startInImage({
      tree,
      args: [...runtimeNodeOptions, "/opt/policy-guard-runtime/lib/main.js"],
      env: {
        POLICY_GUARD_URL: url,
        POLICY_GUARD_TOKEN_FILE: "/etc/token",
        POLICY_GUARD_DATA: "/data",
        RUNTIME_PORT: "0",
        RUNTIME_MANAGEMENT_PORT: "0",
      },
      readyMessage: "runtime is listening",
    });
    running.unshift(runtime);
    const evaluate = `http://127.0.0.1:${runtime.facts.port}/v1/evaluate/input`;
    await eventually(async () => {
      const answer = await fetch(evaluate, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${issued.body.token}` },
        body: JSON.stringify({ text: "the first word" }),
      });
      expect(await answer.json()).toMatchObject({ outcome: "BLOCK" });
    });
    expect((await fetch(`http://127.0.0.1:${worker.facts.managementPort}/readyz`)).status).toBe(200);
    expect(await Promise.all(running.map((each) => each.stop()))).toEqual([0, 0, 0]);
  });

  it("names its programs when it is given another one", async () => {
    await expect(runInImage({ tree, args: [program, "shell"], env: {} })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("one of control-plane, worker, migrate, operator"),
    });
  });
});
