import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newSigningKey, type SigningKey } from "../../src/kit/crypto/signing-key.ts";
import { signStatement } from "../../src/kit/crypto/statement.ts";
import { signedBundle, type TestBundle } from "../harness/bundle.ts";
import { newFolder, policyGuard, policyText, removeFolders } from "./run.ts";

afterAll(removeFolders);

const folder = newFolder();
let made: TestBundle;
beforeAll(async () => {
  made = await signedBundle([policyText("inside")]);
  const old = await signedBundle([policyText("inside")], { now: new Date(Date.now() - 30 * 86_400_000) });
  const tampered = JSON.parse(made.json);
  tampered.parts[0].data = Buffer.from("{}").toString("base64");
  const { manifest: _, ...headless } = JSON.parse(made.json);
  const live = newSigningKey();
  const files = {
    "bundle.json": made.json,
    "key.json": JSON.stringify(made.key.publicJwk),
    "keys.json": JSON.stringify({ keys: [newSigningKey().publicJwk, made.key.publicJwk] }),
    "other.json": JSON.stringify(newSigningKey().publicJwk),
    "old.json": old.json,
    "old-key.json": JSON.stringify(old.key.publicJwk),
    "tampered.json": JSON.stringify(tampered),
    "headless.json": JSON.stringify(headless),
    "noise.json": "[1, 2",
    "between.json": JSON.stringify({ ...JSON.parse(made.json), keys: await between(made, live) }),
    "revoked.json": JSON.stringify({ keys: [live.publicJwk], revoked_kids: [made.key.kid] }),
    "claims.json": JSON.stringify({ ...made.key.publicJwk, kid: "somebody-else" }),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
});

/** The key set from when the bundle's key was not revoked yet, as somebody who has it may go on to hand it out. */
function between({ key, orgId }: TestBundle, live: SigningKey) {
  const keys = [
    { kid: live.kid, x: live.publicJwk.x, state: "active" },
    { kid: key.kid, x: key.publicJwk.x, state: "retiring" },
  ];
  return signStatement("keys", { org_id: orgId, serial: 2, issued_at: new Date().toISOString(), keys }, [live, key]);
}

const verify = (...args: string[]) => policyGuard(["bundle", "verify", ...args, "--json"], { cwd: folder });

test.concurrent("a bundle that holds is verified offline, by a key or a set of keys", async () => {
  const [one, several] = await Promise.all([
    verify("bundle.json", "--key", "key.json"),
    verify("bundle.json", "--key", "keys.json", "--env", "prod", "--org", made.orgId, "--project", made.projectId),
  ]);
  expect(JSON.parse(one.stdout)).toMatchObject({ verified: true, environment: "prod", kids: [made.key.kid] });
  expect([one.code, several.code]).toEqual([0, 0]);
});

test.concurrent.each([
  ["another key", ["bundle.json", "--key", "other.json"], "unknown_kid"],
  ["another environment", ["bundle.json", "--key", "key.json", "--env", "staging"], "wrong_scope"],
  ["a changed part", ["tampered.json", "--key", "key.json"], "digest_mismatch"],
  ["an activation that is over", ["old.json", "--key", "old-key.json"], "expired"],
  ["a missing manifest", ["headless.json", "--key", "key.json"], "missing_statement"],
  ["a key that the file calls revoked", ["bundle.json", "--key", "revoked.json"], "revoked_kid"],
  ["a revoked key that brings a key set of before", ["between.json", "--key", "revoked.json"], "revoked_kid"],
  ["no bundle at all", ["noise.json", "--key", "key.json"], "malformed"],
] as const)("%s is refused with its reason", async (_, args, reason) => {
  const { code, stdout } = await verify(...args);
  expect(JSON.parse(stdout)).toEqual({ verified: false, reason, message: expect.any(String) });
  expect(code).toBe(1);
});

test.concurrent("an expired bundle may be allowed, as for a standalone runtime", async () => {
  expect((await verify("old.json", "--key", "old-key.json", "--allow-expired")).code).toBe(0);
});

test.concurrent("a key file that is none, or claims a name that is not its own, is a wrong call", async () => {
  const ended = await Promise.all(
    ["bundle.json", "claims.json", "noise.json", "missing.json"].map((key) => verify("bundle.json", "--key", key)),
  );
  expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
});

test.concurrent("inspect shows what a bundle says, and says that nothing is checked", async () => {
  const inspect = (...args: string[]) => policyGuard(["bundle", "inspect", ...args], { cwd: folder });
  const [human, machine, noise] = await Promise.all([
    inspect("tampered.json"),
    inspect("bundle.json", "--json"),
    inspect("noise.json", "--json"),
  ]);
  expect(human.stdout).toMatch(/^what the file says; none of it is checked\n/);
  expect(JSON.parse(machine.stdout)).toMatchObject({
    verified: false,
    manifest: { environment: "prod", version: 1 },
    activation: { capture: "redacted" },
    kids: { manifest: [made.key.kid], activation: [made.key.kid] },
    policies: [{ name: "inside", version: 1, rules: 1 }],
  });
  expect(noise.code).toBe(1);
});
