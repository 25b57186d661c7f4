// The log of evidence from a running control plane to "verified", and every way in which it is refused.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SigningKeys } from "../../src/domain/bundle/signing-keys.ts";
import { AfterRestore } from "../../src/domain/operator/after-restore.ts";
import { CheckpointSigning } from "../../src/domain/telemetry/checkpoint-signing.ts";
import { readDirectory, unzipped } from "../../src/kit/archive/zip-reader.ts";
import { zipOf } from "../../src/kit/archive/zip-writer.ts";
import { canonicalText } from "../../src/kit/crypto/canonical.ts";
import { systemClock } from "../../src/kit/process/clock.ts";
import { newId } from "../../src/kit/process/id.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { eventually } from "../harness/eventually.ts";
import { startTestControlPlane, type TestControlPlane } from "../harness/process/control-plane.ts";
import { testSealer } from "../harness/sealer.ts";
import { createWorld, type World } from "../harness/vector/world.ts";
import { newFolder, policyGuard, removeFolders } from "./run.ts";

let plane: TestControlPlane;
let worker: Database;
let world: World;
let folder: string;

beforeAll(async () => {
  plane = await startTestControlPlane();
  worker = await openDatabase({ url: plane.urls.workerUrl, poolSize: 2 });
  world = await createWorld(plane.database);
  folder = newFolder();
  await change(5);
  await sign();
  const keys = await fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}/evidence/checkpoints`, {
    headers: authorization(),
  });
  const answer = await keys.json();
  writeFileSync(join(folder, "keys.txt"), `${answer.verifier_keys.join("\n")}\n`);
  writeFileSync(join(folder, "first.txt"), answer.checkpoints[0].note);
  writeFileSync(join(folder, "page.json"), JSON.stringify(answer));
});

afterAll(async () => {
  removeFolders();
  await worker.close();
  await plane.stop();
});

const authorization = () => ({ authorization: `Bearer ${world.tokens.admin}` });

async function change(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const audit = { action: i % 2 === 0 ? "policy.update" : "team.remove", requestId: newId(), address: "192.0.2.7" };
    await plane.database.transaction({ ...world.caller, audit }, async (tx) =>
      tx.changed({ resource: "policy/1", before: null, after: { name: "é=1", i } }),
    );
  }
}

const sign = () => new CheckpointSigning(worker, new SigningKeys(worker, testSealer), systemClock).sign(world.orgId);

/** As the owner of the tables, within the organization's rows and past the trigger. */
async function tamper(text: string): Promise<void> {
  const owner = new pg.Client({ connectionString: plane.urls.migrationUrl });
  await owner.connect();
  try {
    await owner.query("alter table audit_entry disable trigger user");
    await owner.query("select set_config('app.org_id', $1, false)", [world.orgId]);
    await owner.query(text);
    await owner.query("alter table audit_entry enable trigger user");
  } finally {
    await owner.end();
  }
}

/** As a backup of an hour ago brings it back: the last entries and what was signed over them are gone. */
async function restoreTo(size: number): Promise<void> {
  await tamper(`delete from audit_entry where seq >= ${size}`);
  await tamper(`delete from audit_opening where seq >= ${size}`);
  await tamper(`update audit_head set size = ${size}`);
  for (const table of ["audit_checkpoint", "audit_tile", "audit_log"]) await tamper(`delete from ${table}`);
}

function evidence(...args: string[]) {
  const env = { POLICY_GUARD_URL: plane.baseUrl, POLICY_GUARD_TOKEN: world.tokens.admin ?? "" };
  return policyGuard(["evidence", ...args], { cwd: folder, env: { ...env, POLICY_GUARD_ORG: world.orgId } });
}

const verify = (file: string, ...args: string[]) =>
  policyGuard(["evidence", "verify", file, "--key", "keys.txt", ...args], { cwd: folder });
const read = (file: string) => readFileSync(join(folder, file));
const write = (file: string, content: string | Uint8Array) => writeFileSync(join(folder, file), content);

describe("an export", () => {
  it("is verified offline, as lines and as a ZIP, which has the same bytes twice", async () => {
    await change(300);
    await sign();
    for (const [format, out] of [
      ["jsonl", "log.jsonl"],
      ["zip", "one.zip"],
      ["csv", "log.csv"],
    ] as const)
      expect(await evidence("export", "--format", format, "--out", out)).toMatchObject({ code: 0, stderr: "" });
    const size = String(JSON.parse((await verify("one.zip", "--json")).stdout).tree_size);
    await evidence("export", "--tree-size", size, "--out", "two.zip");
    expect(read("two.zip").equals(read("one.zip"))).toBe(true);
    for (const file of ["log.jsonl", "one.zip"]) {
      const { code, stdout } = await verify(file, "--checkpoint", "first.txt");
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^verified: \d+ entries of policy-guard\/.*\nsigned: /),
      ]);
    }
    // Several files, one of them a page as the API answers it.
    const several = await verify("log.jsonl", "--checkpoint", "first.txt", "--checkpoint", "page.json");
    expect([several.code, several.stdout]).toEqual([0, expect.stringContaining("continues 2 earlier checkpoints")]);
    write("none.json", "{}");
    expect(await verify("log.jsonl", "--checkpoint", "none.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("none.json: this is neither a checkpoint nor an answer of GET"),
    });
    const json = JSON.parse((await verify("one.zip", "--json")).stdout);
    expect(json).toMatchObject({ verified: true, left_out: { query: 0, retention: 0 }, erased: 0, checkpoints: 1 });
    const reading = ["controls.csv", "keys.txt", "README.md"];
    expect(json.unverified).toEqual(reading);
    expect((await verify("one.zip")).stdout).toContain(`unsigned manifest names them: ${reading.join(", ")}\n`);
    expect((await verify("log.jsonl")).stdout).not.toContain("unsigned");
    expect(json.entries).toBe(json.tree_size);
    expect(read("log.csv").toString().split("\r\n")).toHaveLength(json.entries + 2);
  });

  it("of some entries says what it leaves out, and is verified as well", async () => {
    await evidence("export", "--format", "jsonl", "--control", "soc2-cc6.2", "--out", "some.jsonl");
    const json = JSON.parse((await verify("some.jsonl", "--json")).stdout);
    expect(json).toMatchObject({ verified: true, entries: 152 });
    expect(json.left_out.query).toBe(json.tree_size - 152);
    await evidence("export", "--control", "soc2-cc6.2", "--out", "some.zip");
    expect(await verify("some.zip")).toMatchObject({ code: 0, stdout: expect.stringContaining("by the query") });
    // Its earlier checkpoints would need the hashes that it leaves out.
    const reading = ["controls.csv", "checkpoints.jsonl", "keys.txt", "README.md"];
    expect(JSON.parse((await verify("some.zip", "--json")).stdout)).toMatchObject({
      ...{ verified: true, checkpoints: 0, unknown_signer: 0, unverified: reading },
    });
    expect((await evidence("export", "--control", "none", "--out", "none.zip")).stderr).toContain("no such control");
  });

  it("shows what was erased, and is verified without it", async () => {
    await worker.systemTransaction(world.orgId, (tx) =>
      tx.sql("select app.erase_openings('{7}', '{true}', '{false}', '{true}')"),
    );
    await evidence("export", "--out", "erased.zip");
    const { stdout } = await verify("erased.zip");
    expect(stdout).toMatch(/^verified: /);
    expect(stdout).toContain("values that were erased: 3; the entries are verified without them");
  });

  it("is refused by the number of the first entry that was changed", async () => {
    const lines = read("log.jsonl").toString().split("\n");
    const at = lines.findIndex((line) => line.startsWith('{"seq":200,'));
    const refused = async (changed: readonly string[]) => {
      write("changed.jsonl", changed.join("\n"));
      const { code, stdout } = await verify("changed.jsonl", "--json");
      expect(code).toBe(1);
      return JSON.parse(stdout);
    };
    const text = lines[at] ?? "";
    expect(await refused(lines.with(at, text.replace("policy/1", "policy/2")))).toMatchObject({ seq: 200 });
    expect(await refused(lines.toSpliced(at, 1))).toMatchObject({ seq: 200 });
    expect(await refused([...lines.slice(0, at), ""])).toMatchObject({ seq: 200 });
    write(
      "bytes.jsonl",
      Buffer.concat([Buffer.from(lines.slice(0, at).join("\n")), Buffer.from("\n\xff\n", "latin1")]),
    );
    expect(JSON.parse((await verify("bytes.jsonl", "--json")).stdout)).toMatchObject({ verified: false, seq: 200 });
    write("long.jsonl", `${lines.slice(0, at).join("\n")}\n${"x".repeat(4_000_000)}`);
    expect(JSON.parse((await verify("long.jsonl", "--json")).stdout)).toMatchObject({ verified: false, seq: 200 });
  });

  it("is refused when a file of the ZIP was changed, swapped or cut off", async () => {
    const refused = async (name: string, bytes: Uint8Array) => {
      write(name, bytes);
      const { code, stdout } = await verify(name, "--json");
      expect(code).toBe(1);
      return JSON.parse(stdout).message;
    };
    const bytes = read("one.zip");
    expect(await refused("cut.zip", bytes.subarray(0, -500))).toContain("cut off");
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8((flipped[5_000] ?? 0) ^ 1, 5_000);
    expect(await refused("flipped.zip", flipped)).toMatch(/damaged|is not|is no|changed/);
    expect(await refused("files.zip", await zipped({ "log.jsonl": read("log.jsonl") }))).toContain(
      "has to have the files",
    );
    const files = await unzippedFiles("one.zip");
    const forged = { ...files, "entries.csv": Buffer.from(`${files["entries.csv"]}"more"\r\n`) };
    expect(await refused("forged.zip", await zipped(forged))).toContain("entries.csv");
    expect(await refused("other.zip", await zipped({ ...files, "log.jsonl": read("some.jsonl") }))).toContain(
      "another log",
    );
  });

  it("has what follows from the log, and is refused when one of these files says something else", async () => {
    const policy = await call("POST", "/policies", { document: testedPolicy, scope: { app_id: world.projectId } });
    const environment = `/projects/${world.projectId}/envs/${world.environment}`;
    const candidate = { max_newly_blocked: 0.001, alpha: 0.05, min_hours: 24 };
    const gates = [{ id: "no-surprises", kind: "candidate", on: ["activate"], enforcement: "warn", candidate }];
    await call("PUT", `${environment}/gates`, { gates, expected_version: 0 });
    const bundle = await call("POST", `${environment}/bundles/publish`, { activate: true });
    await noteAnnotation();
    await sign();
    expect((await evidence("export", "--out", "whole.zip")).code).toBe(0);
    expect((await verify("whole.zip")).stdout).toMatch(/^verified: /);
    const files = await unzippedFiles("whole.zip");
    const lines = (name: string) => (files[name]?.toString() ?? "").split("\n").filter((line) => line !== "");
    const [activation] = lines("activations.jsonl").map((line) => JSON.parse(line));
    expect(activation).toMatchObject({
      action: "bundle.publish",
      after: { version: bundle.version, digest: bundle.digest },
    });
    expect(activation.after.statement).toMatch(/^sha256:/);
    const [tests] = lines("tests.jsonl").map((line) => JSON.parse(line));
    const said = { resource: `policy/${policy.id}`, name: "tested", controls: ["OWASP-LLM02"], rules: ["key"] };
    expect(tests).toMatchObject({ ...said, version: 1, tests: [{ name: "nothing" }] });
    const [manifest] = lines("bundles.jsonl").map((line) => JSON.parse(line));
    expect(manifest).toMatchObject({ seq: activation.seq, digest: bundle.digest });
    expect(JSON.parse(manifest.manifest).parts.length).toBeGreaterThan(0);
    const control = lines("controls.csv").find((line) => line.includes('"LLM02"'));
    expect(control).toContain('"pii secrets","1","tested/key","1"');
    expect(lines("annotations.csv")[1]).toContain('"annotation.create"');
    expect(lines("gaps.csv").slice(1)).toEqual([expect.stringMatching(/^"7","7","actor .*","erasure"\r$/)]);
    for (const name of extractNames) {
      const forged = Buffer.from(`${files[name] ?? ""}`.replace(/\n$/, " \n"));
      write("forged.zip", await zipped(withFile(files, name, forged)));
      const { code, stdout } = await verify("forged.zip", "--json");
      expect([code, JSON.parse(stdout).message]).toEqual([1, expect.stringContaining(name)]);
    }
    const other = JSON.stringify({
      ...manifest,
      manifest: manifest.manifest.replace(bundle.digest.slice(7, 12), "00000"),
    });
    for (const [content, message] of [
      [other.replace("parts", "Parts"), "is not the one that it names"],
      ["", "is not of the versions"],
      [JSON.stringify({ ...manifest, seq: 1 }), "is not of the versions"],
      [`${JSON.stringify(manifest)}nonsense`, "no manifest of a version"],
    ] as const) {
      write(
        "forged.zip",
        await zipped(withFile(files, "bundles.jsonl", Buffer.from(content === "" ? "" : `${content}\n`))),
      );
      expect(JSON.parse((await verify("forged.zip", "--json")).stdout).message).toContain(message);
    }
    const added = async (name: string, { before = [], after = [] }: { before?: number[]; after?: number[] }) => {
      const content = Buffer.concat([Buffer.from(before), files[name] ?? Buffer.alloc(0), Buffer.from(after)]);
      write("forged.zip", await zipped(withFile(files, name, content)));
      return JSON.parse((await verify("forged.zip", "--json")).stdout).message;
    };
    // Bytes that a reader of text may drop: a mark of the order of bytes, the beginning of a character, half a line.
    expect(await added("bundles.jsonl", { before: [0xef, 0xbb, 0xbf] })).toContain("no manifest of a version");
    expect(await added("bundles.jsonl", { after: [0xe2, 0x82] })).toContain("bundles.jsonl is not text in UTF-8");
    expect(await added("checkpoints.jsonl", { after: [0x78] })).toContain("checkpoints.jsonl ends within a line");
    // What is deleted later is a gap, and the export is verified as before.
    await tamper(`delete from bundle where digest = '${bundle.digest}'`);
    await evidence("export", "--out", "gone.zip");
    expect((await verify("gone.zip")).stdout).toMatch(/^verified: /);
    expect((await unzippedFiles("gone.zip"))["gaps.csv"]?.toString()).toContain(
      `"${activation.seq}","${activation.seq}","manifest","deleted"`,
    );
  });

  it("leaves no file when it breaks off, and says what to do before the first checkpoint", async () => {
    write("kept.zip", "as it was");
    const url = { env: { POLICY_GUARD_URL: plane.baseUrl, POLICY_GUARD_TOKEN: world.tokens.admin ?? "" }, cwd: folder };
    const breaking = await startBreaking(plane.baseUrl);
    const env = { ...url.env, POLICY_GUARD_URL: breaking.url, POLICY_GUARD_ORG: world.orgId };
    const cut = await policyGuard(["evidence", "export", "--out", "kept.zip"], { cwd: folder, env });
    await breaking.close();
    expect(cut.code).not.toBe(0);
    expect(read("kept.zip").toString()).toBe("as it was");
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    const fresh = await createWorld(plane.database);
    const early = await policyGuard(["evidence", "export", "--out", "early.zip"], {
      cwd: folder,
      env: { ...url.env, POLICY_GUARD_TOKEN: fresh.tokens.admin ?? "", POLICY_GUARD_ORG: fresh.orgId },
    });
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining("within a minute of the first entry") });
    const odd = await evidence("export", "--tree-size", "7777777", "--out", "odd.zip");
    expect(odd.stderr).toContain("no checkpoint has 7777777 entries");
  });

  it("is refused with another key, and a key of bundles is none", async () => {
    write("other.txt", otherKey);
    const { stdout } = await policyGuard(["evidence", "verify", "one.zip", "--key", "other.txt"], { cwd: folder });
    expect(stdout).toContain("none of the given keys");
    write("bundles.json", JSON.stringify({ keys: [{ kty: "OKP", crv: "Ed25519", x: "AAAA", kid: "a" }] }));
    expect(
      await policyGuard(["evidence", "verify", "one.zip", "--key", "bundles.json"], { cwd: folder }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no key of a log"),
    });
  });

  it("takes the answer of GET /v1/bundles/keys as keys", async () => {
    const answer = await fetch(`${plane.baseUrl}/v1/bundles/keys`, { headers: authorization() });
    write("published.json", await answer.text());
    const ended = await policyGuard(["evidence", "verify", "one.zip", "--key", "published.json"], { cwd: folder });
    expect([ended.code, ended.stdout]).toEqual([0, expect.stringMatching(/^verified/)]);
  });
});

describe("a proof", () => {
  it("of an entry stands for itself", async () => {
    expect(await evidence("prove", "3", "--key", "keys.txt", "--out", "3.tlog-proof")).toMatchObject({ code: 0 });
    expect((await verify("3.tlog-proof")).stdout).toMatch(/^verified: entry 3 of policy-guard.*\naction: /s);
    const text = read("3.tlog-proof").toString();
    write("4.tlog-proof", text.replace("index 3", "index 4"));
    expect(await verify("4.tlog-proof")).toMatchObject({ code: 1, stdout: expect.stringContaining("refused: ") });
    const latin = Buffer.concat([Buffer.from("{}"), Buffer.from([0xff])]).toString("base64");
    write("bytes.tlog-proof", text.replace(/\nextra .*/, `\nextra ${latin}`));
    expect((await verify("bytes.tlog-proof")).stdout).toContain("not text in UTF-8");
    write("bare.tlog-proof", text.replace(/\nextra .*/, ""));
    expect((await verify("bare.tlog-proof")).stdout).toContain("no leaf");
  });
});

describe("a witness", () => {
  const watch = () => evidence("watch", "--key", "keys.txt", "--state", "kept.txt");

  it("keeps checkpoints that continue each other, and proves a fork when the log was rewritten", async () => {
    expect((await watch()).stdout).toMatch(/^consistent: \d+ entries, \d+ of them new/);
    await change(3);
    await sign();
    expect((await watch()).stdout).toMatch(/^consistent: \d+ entries, \d+ of them new/);
    const kept = read("kept.txt").toString();
    const size = Number(kept.split("\n")[1]);
    await restoreTo(size - 4);
    await sign();
    const shorter = await watch();
    expect([shorter.code, shorter.stdout]).toEqual([1, expect.stringContaining(`had ${size} entries, and now has`)]);
    await change(9);
    await sign();
    const forked = await watch();
    expect(forked.stdout).toMatch(/^fork: the log of \d+ entries does not begin with the \d+ that were kept/);
    expect(read("kept.txt").toString()).toBe(kept);
    expect(read("kept.txt.fork").toString()).toContain("policy-guard/");
  });
});

describe("a rotation of the log's key", () => {
  it("is followed by what the log says about its keys, and by nothing else", async () => {
    const rotate = (body: object) => call("POST", "/signing-keys/rotate", body);
    const follow = (key: string, out: string) => evidence("keys", "--key", key, "--out", out);
    const { kid: first } = (await call("GET", "/signing-keys?use=log")).signing_keys[0];
    const { kid: second, use } = await rotate({ use: "log" });
    expect(use).toBe("log");
    expect((await follow("keys.txt", "none.txt")).stderr).toContain("is in no checkpoint yet");
    await sign();
    // Both sign, so who knows the former only goes on.
    await evidence("export", "--out", "both.zip");
    expect((await verify("both.zip")).stdout).toMatch(/^verified/);
    expect((await follow("keys.txt", "two.txt")).stdout).toContain(`${second} signs too`);
    expect(read("two.txt").toString().trim().split("\n")).toHaveLength(2);
    await call("POST", `/signing-keys/${first}/revoke`);
    await sign();
    await evidence("export", "--out", "new.zip");
    expect((await verify("new.zip")).stdout).toContain("none of the given keys");
    // Still from the former key alone: the log vouches for the new one in a checkpoint that both signed.
    const followed = await follow("keys.txt", "new.txt");
    expect(followed.stdout).toContain(`${second} signs too`);
    expect(followed.stdout).toContain(`${first} was revoked`);
    const again = await policyGuard(["evidence", "verify", "new.zip", "--key", "new.txt", "--json"], { cwd: folder });
    expect(JSON.parse(again.stdout)).toMatchObject({ verified: true });
    expect((await evidence("watch", "--key", "keys.txt", "--state", "rotated.txt")).stderr).toContain("evidence keys");
    expect((await evidence("watch", "--key", "new.txt", "--state", "rotated.txt")).stdout).toMatch(/^consistent/);
    // The active key is revoked at once: nothing that it signs can say which key comes next.
    await call("POST", `/signing-keys/${second}/revoke`);
    await sign();
    expect((await follow("new.txt", "lost.txt")).stderr).toContain("Get the new key from somebody whom you trust");
    expect((await follow("other.txt", "lost.txt")).stderr).toContain("none of the given keys is of the log");
    expect(existsSync(join(folder, "lost.txt"))).toBe(false);
  });
});

describe("a restore", () => {
  it("is a fork until the operator says so, and then an epoch that a person accepts", async () => {
    const published = await call("GET", "/evidence/checkpoints?limit=1");
    write("restored.txt", `${published.verifier_keys.join("\n")}\n`);
    const watch = (...args: string[]) => evidence("watch", "--key", "restored.txt", "--state", "seen.txt", ...args);
    await change(5);
    await sign();
    expect((await watch()).stdout).toMatch(/^consistent/);
    await restoreTo(Number(read("seen.txt").toString().split("\n")[1]) - 4);
    await change(9);
    await sign();
    expect((await watch()).stdout).toMatch(/^fork/);
    const keys = new SigningKeys(plane.database, testSealer);
    const who = { actor: "operator:ada", isDryRun: false, restoreId: "restore-1" };
    const restore = new AfterRestore({ database: plane.database, keys, ...who });
    const input = { reason: "the backup of Monday", revokeKeys: [], rotate: [] };
    const epoch = (await restore.restore(world.orgId, input))?.epoch?.epoch;
    await sign();
    const told = await watch();
    expect([told.code, told.stdout]).toEqual([1, expect.stringContaining(`--accept-epoch ${epoch} begins anew`)]);
    expect(await watch("--accept-epoch", "3")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the server shows"),
    });
    const lost = read("seen.txt").toString();
    expect((await watch("--accept-epoch", `${epoch}`)).stdout).toMatch(/^consistent/);
    expect(read("seen.txt.epoch-1").toString()).toBe(lost);
    expect((await watch()).stdout).toMatch(/^consistent/);
    // The keys that were given for the log count in its new epoch; what was lost contradicts it for ever.
    await evidence("export", "--out", "epoch.zip");
    const verified = (...args: string[]) =>
      policyGuard(["evidence", "verify", "epoch.zip", "--key", "restored.txt", ...args], { cwd: folder });
    expect((await verified()).stdout).toMatch(/^verified: \d+ entries of policy-guard\/[^/]+\/[^/]+\/\d+\n/);
    expect((await verified("--checkpoint", "seen.txt")).stdout).toMatch(/^verified/);
    const refused = await verified("--checkpoint", "seen.txt.epoch-1");
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("is of another history")]);
    // What was signed before goes on to be exported, under the name that it was signed with.
    const { checkpoints } = await call("GET", "/evidence/checkpoints?limit=2");
    await evidence("export", "--tree-size", `${checkpoints[1].tree_size}`, "--out", "former.zip");
    const former = await policyGuard(["evidence", "verify", "former.zip", "--key", "restored.txt"], { cwd: folder });
    expect(former.stdout).toMatch(/^verified: \d+ entries of policy-guard\/[^/]+\/[^/]+\n/);
  });
});

const otherKey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n";

const extractNames = [
  ...["entries.csv", "activations.jsonl", "gates.jsonl", "tests.jsonl", "annotations.csv", "gaps.csv"],
];

const testedPolicy = {
  apiVersion: "policyguard/v1",
  kind: "Policy",
  metadata: { name: "tested", controls: ["OWASP-LLM02"] },
  rules: [{ id: "key", stages: ["output"], detect: "secrets", action: "BLOCK" }],
  tests: [{ name: "nothing", text: "hello", expect: { outcome: "ALLOW" } }],
};

/** The files with one of them changed, and a manifest that fits. */
function withFile(files: Readonly<Record<string, Buffer>>, name: string, content: Buffer): Record<string, Buffer> {
  const manifest = JSON.parse(String(files["manifest.json"]));
  const entry = manifest.files.find((file: { readonly name: string }) => file.name === name);
  Object.assign(entry, { bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") });
  return { ...files, [name]: content, "manifest.json": Buffer.from(`${canonicalText(manifest)}\n`) };
}

/** What an annotation leaves in the log. */
async function noteAnnotation(): Promise<void> {
  const audit = { action: "annotation.create", requestId: newId(), address: "192.0.2.7" };
  const after = { trace_id: newId(), target: { kind: "trace" }, mark: "correct", expected_labels: [], revision: 1 };
  await plane.database.transaction({ ...world.caller, audit }, async (tx) =>
    tx.changed({ resource: `annotation/${newId()}`, before: null, after }),
  );
}

// An answer of REST, of whatever method.
// biome-ignore lint/suspicious/noExplicitAny: answers are compared member by member.
async function call(method: string, path: string, body?: object): Promise<any> {
  const ask = async () => {
    const answer = await fetch(`${plane.baseUrl}/v1/orgs/${world.orgId}${path}`, {
      method,
      headers: { ...authorization(), "content-type": "application/json" },
      ...(method !== "GET" && { body: JSON.stringify(body ?? {}) }),
    });
    if (answer.status === 503) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer;
  };
  // Analyses of documents have a limit of time, which a machine under load may reach.
  const response = await eventually(ask, 120_000);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** A proxy that cuts each answer off after some kilobytes. */
async function startBreaking(target: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { port } = new URL(target);
  const server = createServer((inner) => {
    const outer = connect(Number(port), "127.0.0.1");
    let bytes = 0;
    inner.pipe(outer).on("error", () => inner.destroy());
    inner.on("error", () => outer.destroy());
    outer.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes > 20_000) for (const each of [inner, outer]) each.destroy();
      else inner.write(chunk);
    });
    outer.on("close", () => inner.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const at = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${at}`, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function zipped(files: Readonly<Record<string, Uint8Array>>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const all = Object.entries(files).map(([name, content]) => ({ name, content: [content] }));
  for await (const part of zipOf(all)) parts.push(part);
  return Buffer.concat(parts);
}

async function unzippedFiles(name: string): Promise<Record<string, Buffer>> {
  const file = await open(join(folder, name));
  try {
    const files: Record<string, Buffer> = {};
    for (const entry of await readDirectory(file)) {
      const parts: Buffer[] = [];
      for await (const part of unzipped(file, entry)) parts.push(part);
      files[entry.name] = Buffer.concat(parts);
    }
    return files;
  } finally {
    await file.close();
  }
}
