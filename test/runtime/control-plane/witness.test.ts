// A runtime as a witness: what it takes, what it ignores, and what it reports.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StatementSchema } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { WitnessedCheckpointSchema } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { Witness } from "../../../runtime/control-plane/witness.ts";
import type { EpochPayload } from "../../../src/kit/bundle/statement-payload.ts";
import { newSigningKey, publicJwkOf, type SigningKey, trustKeys } from "../../../src/kit/crypto/signing-key.ts";
import { type StatementKind, signStatement } from "../../../src/kit/crypto/statement.ts";
import { checkpointText } from "../../../src/kit/evidence/checkpoint.ts";
import { consistencyRanges } from "../../../src/kit/evidence/merkle.ts";
import { rangeHashes } from "../../../src/kit/evidence/tile.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { MadeLog, madeOrigin } from "../../harness/made-log.ts";

const orgId = madeOrigin.split("/").at(-1) ?? "";
const log = createLog({ name: "test", level: "silent" });
const trusted = newSigningKey();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "witness-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const known = (made: MadeLog) => ({
  orgId,
  keys: [publicJwkOf(made.key.key.export({ format: "jwk" }).x ?? "")],
  trust: trustKeys([trusted.publicJwk]),
});

function rootOf(made: MadeLog, size: number): Buffer {
  return rangeHashes([{ start: 0, end: size }], made.tileAt)[0] ?? Buffer.alloc(32);
}

const path = (made: MadeLog, from: number, to: number) => rangeHashes(consistencyRanges(from, to), made.tileAt);

/** The checkpoint over so many entries of the log, from one that the witness keeps. */
function next(made: MadeLog, from: number, size: number) {
  const note = made.checkpoint(size);
  return create(WitnessedCheckpointSchema, { note, fromSize: from, hashes: from === 0 ? [] : path(made, from, size) });
}

/** The log under its second name, as it goes on from a restored backup. */
async function inEpoch(
  made: MadeLog,
  { restored, size }: { readonly restored: number; readonly size: number },
  change: { readonly said?: Partial<EpochPayload>; readonly key?: SigningKey; readonly kind?: StatementKind } = {},
) {
  const origin = `${madeOrigin}/2`;
  const note = made.signed(checkpointText({ origin, size, root: rootOf(made, size) }), origin);
  const payload: EpochPayload = {
    ...{ org_id: orgId, epoch: 2, origin, tree_size: restored, root_hash: rootOf(made, restored).toString("hex") },
    ...{ reason: "a restore", began_at: "2026-03-03T00:00:00Z", lost: [] },
    ...change.said,
  };
  const statement = await signStatement(change.kind ?? "epoch", payload, [change.key ?? trusted]);
  const epoch = create(StatementSchema, {
    ...statement,
    signatures: statement.signatures.map((each) => ({ ...each })),
  });
  return create(WitnessedCheckpointSchema, { note, fromSize: restored, hashes: path(made, restored, size), epoch });
}

describe("Witness", () => {
  it("keeps what continues the last, and reports what does not until an epoch begins", async () => {
    const made = new MadeLog().grow(40);
    const witness = new Witness(folder, log);
    await witness.take(next(made, 0, 10), known(made));
    await witness.take(next(made, 10, 30), known(made));
    expect(witness.status()).toMatchObject({ witnessedSize: 30, witnessedEpoch: 1, evidenceFork: undefined });
    // A backup of 20 entries, after which others follow.
    const restored = made.forkAt(20).grow(15, "other");
    await witness.take(next(restored, 30, 35), known(made));
    expect(witness.isForked).toBe(true);
    const { evidenceFork } = witness.status();
    expect(evidenceFork).toMatchObject({ kept: made.checkpoint(30), received: restored.checkpoint(35) });
    await witness.take(await inEpoch(restored, { restored: 20, size: 35 }), known(made));
    expect(witness.status()).toMatchObject({ witnessedSize: 35, witnessedEpoch: 2, evidenceFork: undefined });
    const kept = JSON.parse(readFileSync(join(folder, "evidence-checkpoint.json"), "utf8"));
    expect(kept.former).toEqual([{ note: made.checkpoint(30), contradictedBy: restored.checkpoint(35) }]);
    // The past stays when the log goes on, over a restart too.
    const origin = `${madeOrigin}/2`;
    restored.grow(5, "other");
    const note = restored.signed(checkpointText({ origin, size: 40, root: rootOf(restored, 40) }), origin);
    const going = create(WitnessedCheckpointSchema, { note, fromSize: 35, hashes: path(restored, 35, 40) });
    const restarted = new Witness(folder, log);
    await restarted.take(going, known(made));
    expect(restarted.status()).toMatchObject({ witnessedSize: 40, witnessedEpoch: 2, evidenceFork: undefined });
    expect(JSON.parse(readFileSync(join(folder, "evidence-checkpoint.json"), "utf8")).former).toHaveLength(1);
  });

  it("follows no epoch that its pinned keys do not vouch for", async () => {
    const made = new MadeLog().grow(30);
    const restored = made.forkAt(20).grow(15, "other");
    const witness = new Witness(folder, log);
    await witness.take(next(made, 0, 30), known(made));
    const sizes = { restored: 20, size: 35 };
    const root = "00".repeat(32);
    for (const nonsense of [
      await inEpoch(restored, sizes, { key: newSigningKey() }),
      await inEpoch(restored, sizes, { kind: "activation" }),
      await inEpoch(restored, sizes, { said: { org_id: "another" } }),
      await inEpoch(restored, sizes, { said: { origin: `${madeOrigin}/3`, epoch: 3 } }),
      await inEpoch(restored, sizes, { said: { epoch: 3 } }),
      await inEpoch(restored, sizes, { said: { root_hash: root } }),
      await inEpoch(restored, sizes, { said: { tree_size: 21 } }),
      await inEpoch(restored, sizes, { said: { lost: [{ tree_size: 1, root_hash: "short" }] } }),
      create(WitnessedCheckpointSchema, { note: "nonsense", fromSize: 30 }),
      create(WitnessedCheckpointSchema, { note: new MadeLog().grow(50).checkpoint(), fromSize: 30 }),
    ]) {
      await witness.take(nonsense, known(made));
      expect(witness.status()).toMatchObject({ witnessedSize: 30, witnessedEpoch: 1, evidenceFork: undefined });
    }
    // Without a statement the new name is nothing but another log.
    const { epoch: _, ...plain } = await inEpoch(restored, sizes);
    await witness.take(create(WitnessedCheckpointSchema, { ...plain, fromSize: 30 }), known(made));
    expect(witness.isForked).toBe(true);
  });
});
