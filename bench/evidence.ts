// Verification of the log of evidence, offline on one core: entries of an export against the hashes alone that such a
// verification has to make (a leaf and four commitments each), and proofs of single entries against the one signature
// in each. And what an entry costs the change that it is about: the same transaction with its entry and without, and
// the whole call over REST that makes it.

import { hash, verify } from "node:crypto";
import { Organizations } from "../src/domain/tenancy/organization.ts";
import { readTlogProof, tlogProofText, verifyTlogProof } from "../src/kit/evidence/checkpoint.ts";
import { commitmentOf, committedFields, leafHash } from "../src/kit/evidence/leaf.ts";
import { LogVerifier } from "../src/kit/evidence/log-verifier.ts";
import { inclusionRanges } from "../src/kit/evidence/merkle.ts";
import { readNote } from "../src/kit/evidence/note.ts";
import { rangeHashes } from "../src/kit/evidence/tile.ts";
import { type Database, openDatabase } from "../src/store/connection/database.ts";
import type { Transaction } from "../src/store/core/transaction.ts";
import { findOrganization } from "../src/store/tenancy/organization.ts";
import { MadeLog } from "../test/harness/made-log.ts";
import { adminCaller } from "../test/harness/vector/world.ts";
import { type BenchServer, numbered, startServer, underLoad } from "./load/http.ts";
import { type Bench, type Case, measure, type Round } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { startBenchDatabase } from "./server/database.ts";

const proofs = 200;
const changes = 100;

/** Measures verification. */
export const evidenceBench: Bench = async ({ isQuick }) => {
  const server = await startBenchDatabase();
  const database = await openDatabase({ url: server.applicationUrl, poolSize: 2 });
  const plane = await startServer<BenchControlPlane>("control-plane", server.applicationUrl);
  try {
    return await measureWith(database, plane, isQuick);
  } finally {
    plane.child.kill();
    await database.close();
    await server.stop();
  }
};

/** The same change as a call, of which the control plane's CPU time counts. */
function callCase({ child, told: { port, orgId, adminToken } }: BenchServer<BenchControlPlane>): Case {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  const rename = numbered({ method: "PATCH", headers, body: '{"name":"Bench <id>"}' });
  const load = { url: `http://127.0.0.1:${port}/v1/orgs/${orgId}`, requests: [rename], status: 200 };
  return { name: "calls that make the change, with their entries", run: () => underLoad(child, load) };
}

async function measureWith(database: Database, plane: BenchServer<BenchControlPlane>, isQuick: boolean) {
  const { id: orgId } = await new Organizations(database).create({ name: "Bench" });
  const caller = { ...adminCaller(orgId), audit: { action: "organization.update", requestId: "bench", address: "" } };
  const rename = async (tx: Transaction) => {
    const organization = await findOrganization(tx);
    const before = { name: organization.name };
    organization.name = `Bench ${performance.now()}`;
    tx.changed({ resource: `organization/${orgId}`, before, after: { name: organization.name } });
  };
  const entries = isQuick ? 5_000 : 100_000;
  const log = new MadeLog().grow(entries);
  const lines = log.lines();
  const made = Array.from({ length: proofs }, (_, i) => proofAt(log, Math.floor((i * entries) / proofs)));
  const { text, signatures } = readNote(log.checkpoint());
  const signature = signatures[0]?.signature ?? Buffer.alloc(0);
  return measure([
    { name: "hashes of entries", run: () => timed(entries, () => hashAll(log)) },
    {
      name: "entries of an export",
      against: "hashes of entries",
      run: () => timed(entries, () => verifyAll(log, lines)),
    },
    {
      name: "signatures alone",
      run: () => timed(proofs, () => made.forEach(() => void verify(null, Buffer.from(text), log.key.key, signature))),
    },
    {
      name: "proofs of an entry",
      against: "signatures alone",
      run: () =>
        timed(proofs, () =>
          made.forEach(([proof, leaf]) => void verifyTlogProof(readTlogProof(proof), leaf, [log.key])),
        ),
    },
    {
      name: "changes without entries",
      // The service's own transactions write none by themselves.
      run: () => timedCalls(() => database.systemTransaction(orgId, rename)),
    },
    {
      name: "changes with their entries",
      against: "changes without entries",
      run: () => timedCalls(() => database.transaction(caller, rename)),
    },
    callCase(plane),
  ]);
}

async function timedCalls(call: () => Promise<void>): Promise<Round> {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  for (let i = 0; i < changes; i++) await call();
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - startedAtMs) / 1000;
  return { operations: changes, seconds, cpuSeconds: (user + system) / 1e6 };
}

function proofAt(log: MadeLog, index: number): readonly [string, Buffer] {
  const path = rangeHashes(inclusionRanges(index, log.size), log.tileAt);
  const proof = { extra: undefined, index, path, checkpoint: log.checkpoint() };
  return [tlogProofText(proof), leafHash(log.entries[index]?.leaf ?? "")];
}

function verifyAll(log: MadeLog, lines: readonly string[]): void {
  const verifier = new LogVerifier([log.key]);
  for (const line of lines) verifier.add(line);
  verifier.end();
}

function hashAll({ entries }: MadeLog): void {
  for (const { leaf, openings } of entries) {
    hash("sha256", leaf);
    for (const field of committedFields) {
      const opening = openings[field];
      if (opening !== undefined) commitmentOf(field, opening);
    }
  }
}

function timed(operations: number, work: () => void): Round {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { operations, seconds: (performance.now() - startedAtMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}
