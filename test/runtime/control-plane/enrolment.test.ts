import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StatementSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import {
  type EnrolResponseSchema,
  ReportingService,
} from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Enrolment } from "../../../runtime/control-plane/enrolment.ts";
import { newSigningKey } from "../../../src/kit/crypto/signing-key.ts";
import { signStatement } from "../../../src/kit/crypto/statement.ts";
import { eventually } from "../../harness/eventually.ts";

type Answer = MessageInitShape<typeof EnrolResponseSchema>;

const [first, second, stranger] = [newSigningKey(), newSigningKey(), newSigningKey()];
const standard: Answer = {
  orgId: "0b8f7a52-55c5-4c5c-9a5e-3f6f1f6f0a01",
  projectId: "0b8f7a52-55c5-4c5c-9a5e-3f6f1f6f0a02",
  environment: "prod",
  keys: [first.publicJwk],
  tokens: [{ sha256: new Uint8Array(32).fill(1) }],
  fingerprintKey: new Uint8Array(32).fill(9),
};

describe("an enrolment", () => {
  let folder: string;
  let answer: Answer;
  const client = createClient(
    ReportingService,
    createRouterTransport(({ service }) => service(ReportingService, { enrol: () => answer })),
  );
  const renew = (enrolment: Enrolment) => enrolment.renew(client, AbortSignal.timeout(60_000));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "policy-guard-enrolment-"));
    answer = standard;
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("is loaded by the next process, with the same instance id", async () => {
    const enrolment = new Enrolment(folder);
    expect(enrolment.current).toBeUndefined();
    const enrolled = await renew(enrolment);
    const again = new Enrolment(folder);
    expect(again.instanceId).toBe(enrolment.instanceId);
    expect(again.current).toMatchObject({ scope: enrolled.scope, fingerprintKey: enrolled.fingerprintKey });
    expect([...(again.current?.trust.keys() ?? [])]).toEqual([first.kid]);
    expect(again.current?.tokens).toHaveLength(1);
  });

  it("pins other keys once a person says so, for one enrolment of the same scope", async () => {
    await renew(new Enrolment(folder));
    answer = { ...standard, keys: [stranger.publicJwk] };
    const repinned = new Enrolment(folder, { isRepinned: true });
    // Until the control plane has answered, the pinned ones count.
    expect([...(repinned.current?.trust.keys() ?? [])]).toEqual([first.kid]);
    answer = { ...answer, environment: "dev" };
    await expect(renew(repinned)).rejects.toThrow("belongs to");
    answer = { ...answer, environment: "prod" };
    expect([...(await renew(repinned)).trust.keys()]).toEqual([stranger.kid]);
    answer = standard;
    await expect(renew(repinned)).rejects.toThrow("none of the signing keys");
    expect([...(new Enrolment(folder).current?.trust.keys() ?? [])]).toEqual([stranger.kid]);
  });

  it("never trusts a key again that was revoked, not even when it is told to pin the keys anew", async () => {
    const set = async (serial: number, states: readonly [string, string], signers = [first, second]) => {
      const keys = [first, second].map(({ kid, publicJwk: { x } }, i) => ({ kid, x, state: states[i] ?? "" }));
      const payload = { org_id: `${standard.orgId}`, serial, issued_at: "2027-01-01T00:00:00Z", keys };
      const signed = await signStatement("keys", payload, signers);
      return create(StatementSchema, { ...signed, signatures: signed.signatures.map((each) => ({ ...each })) });
    };
    const keys = [first.publicJwk, second.publicJwk];
    answer = { ...standard, keys: [second.publicJwk], keySet: await set(5, ["revoked", "active"]) };
    expect([...(await renew(new Enrolment(folder))).trust.keys()]).toEqual([second.kid]);
    // A restored database has the revoked key live again, under a serial that leaves out those that were seen.
    answer = { ...standard, keys, keySet: await set(9, ["active", "retiring"]) };
    const followed = new Enrolment(folder);
    expect([...(await renew(followed)).trust.keys()]).toEqual([second.kid]);
    answer = { ...standard, keys, keySet: await set(10, ["active", "retiring"], [first]) };
    await expect(renew(followed)).rejects.toThrow("none of the signing keys");
    for (let i = 0; i < 2; i++) {
      answer = { ...standard, keys, keySet: await set(2, ["active", "retiring"]) };
      const repinned = new Enrolment(folder, { isRepinned: true });
      const { root } = await renew(repinned);
      expect([[...root.trust.keys()], [...root.revoked]]).toEqual([[second.kid], [first.kid]]);
    }
    answer = { ...standard, keys: [first.publicJwk] };
    await expect(renew(new Enrolment(folder, { isRepinned: true }))).rejects.toThrow("as revoked");
    writeFileSync(join(folder, "revoked-keys.json"), "[");
    expect(() => new Enrolment(folder)).toThrow("revoked-keys.json is damaged");
  });

  it("keeps the latest list of tokens", async () => {
    const enrolment = new Enrolment(folder);
    await renew(enrolment);
    enrolment.replaceTokens([]);
    expect(new Enrolment(folder).current?.tokens).toEqual([]);
  });

  it("has one object for one fingerprint key, since values derived from it are cached by the object", async () => {
    const enrolment = new Enrolment(folder);
    const { fingerprintKey } = await renew(enrolment);
    answer = { ...standard, fingerprintKey: new Uint8Array(32).fill(9) };
    expect((await renew(enrolment)).fingerprintKey).toBe(fingerprintKey);
    enrolment.replaceTokens([]);
    expect(enrolment.current?.fingerprintKey).toBe(fingerprintKey);
    answer = { ...standard, fingerprintKey: new Uint8Array(32).fill(8) };
    expect((await renew(enrolment)).fingerprintKey).toEqual(new Uint8Array(32).fill(8));
  });

  it("follows a rotation of keys that overlaps, step by step", async () => {
    const enrolment = new Enrolment(folder);
    await renew(enrolment);
    for (const keys of [[first.publicJwk, second.publicJwk], [second.publicJwk]]) {
      answer = { ...standard, keys };
      expect([...(await renew(enrolment)).trust.keys()]).toEqual(keys.map(({ kid }) => kid));
    }
  });

  it("refuses a key set without any pinned key, and keeps the pinned ones", async () => {
    const enrolment = new Enrolment(folder);
    await renew(enrolment);
    answer = { ...standard, keys: [stranger.publicJwk] };
    await expect(renew(enrolment)).rejects.toThrow("none of the signing keys");
    expect([...(new Enrolment(folder).current?.trust.keys() ?? [])]).toEqual([first.kid]);
  });

  it.each(["orgId", "projectId", "environment"] as const)("refuses to become one for another %s", async (name) => {
    const enrolment = new Enrolment(folder);
    await renew(enrolment);
    answer = { ...standard, [name]: "another" };
    await expect(renew(enrolment)).rejects.toThrow("its own folder");
    expect(enrolment.current?.scope).toMatchObject({ [name]: standard[name] });
  });

  it("is in force although the disk refuses it, and is written when the disk takes it again", async () => {
    const problems: unknown[] = [];
    const enrolment = new Enrolment(folder, { onProblem: (error) => problems.push(error), retryMs: 10 });
    await renew(enrolment);
    const inTheWay = join(folder, "enrolment.json.new");
    mkdirSync(inTheWay);
    enrolment.replaceTokens([]);
    expect((await renew(enrolment)).tokens).toHaveLength(1);
    enrolment.replaceTokens([]);
    expect(enrolment.current?.tokens).toEqual([]);
    expect(problems).toMatchObject([{ code: "EISDIR" }]);
    rmdirSync(inTheWay);
    await eventually(() => expect(problems).toHaveLength(2));
    expect(problems.at(-1)).toBeUndefined();
    expect(new Enrolment(folder).current?.tokens).toEqual([]);
  });

  it("that cannot be read does not count as missing", async () => {
    await renew(new Enrolment(folder));
    rmSync(join(folder, "enrolment.json"));
    mkdirSync(join(folder, "enrolment.json"));
    expect(() => new Enrolment(folder)).toThrow("EISDIR");
  });

  it("replaces an instance id that no control plane would accept", () => {
    writeFileSync(join(folder, "instance-id"), "\0\0\0\0\n");
    const { instanceId } = new Enrolment(folder);
    expect(instanceId).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Enrolment(folder).instanceId).toBe(instanceId);
  });

  it("that is damaged is an error: it is not forgotten with its pinned keys", async () => {
    await renew(new Enrolment(folder));
    writeFileSync(join(folder, "enrolment.json"), '{"orgId": "0b8f');
    expect(() => new Enrolment(folder)).toThrow("enrolment.json is damaged");
  });
});
