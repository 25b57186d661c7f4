// The thread that builds engines beside the one that answers evaluations. It parses and checks the content of a bundle,
// analyses its patterns, builds the large tables, and sends the results in chunks. Its own engine is discarded.

import { type MessagePort, parentPort } from "node:worker_threads";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { BundleSchema, PartSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { SignedStatement } from "../../src/kit/crypto/statement.ts";
import { catalog } from "../engine/detectors/catalog.ts";
import { makeTables } from "../engine/engine.ts";
import { recordPatterns } from "../engine/pattern/compile-pattern.ts";
import { parsePolicyInForce } from "../engine/policy/parse.ts";
import type { PolicySource } from "../engine/policy-plan/compiled-policy.ts";
import { emptyTables, type Tables } from "../engine/scan/table-cache.ts";
import type { BuildAnswer, BuildChunk, BuildRequest, Verification, VerifyRequest } from "./build-message.ts";
import { asRejection, engineSourceOf, learnFacts } from "./compile.ts";
import { BundleRejection } from "./rejection.ts";
import { shared } from "./shared-memory.ts";
import { verifyBundle } from "./verify.ts";

const factsPerChunk = 50;

/** The tables of the last bundle, in shared memory: most of them are the same in the next one. */
let latest = emptyTables();

parentPort?.on("message", async (request: BuildRequest | VerifyRequest) => {
  parentPort?.postMessage(await answer(request));
});

async function answer(request: BuildRequest | VerifyRequest): Promise<BuildAnswer> {
  const { id } = request;
  try {
    if (request.kind === "verify") return { id, verification: await verify(request) };
    build(request);
    return { id };
  } catch (error) {
    const { reason, message } = request.kind === "verify" ? refusalOf(error) : asRejection(error);
    return { id, refusal: { reason, message } };
  } finally {
    if (request.kind === "build") request.chunks.close();
  }
}

async function verify({ check, statements, parts, held }: VerifyRequest): Promise<Verification> {
  const bundle = create(BundleSchema, {
    manifest: messageOf(statements.manifest),
    activation: messageOf(statements.activation),
    keys: messageOf(statements.keys),
    // Views of shared memory, which is never detached.
    parts: parts.map((part) => create(PartSchema, part as MessageInitShape<typeof PartSchema>)),
  });
  const { manifest, digest, activation, keySet } = await verifyBundle({ ...check, bundle, held });
  const { payload, ratchet } = activation;
  return { manifest, digest, activation: { payload, ratchet }, hasNewerKeys: keySet !== undefined };
}

function refusalOf(cause: unknown): BundleRejection {
  if (cause instanceof BundleRejection) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new BundleRejection("build_failed", `the bundle could not be verified: ${message}`, { cause });
}

function messageOf(statement: SignedStatement | undefined) {
  if (statement === undefined) return undefined;
  const { payload, signatures } = statement;
  return { payload, signatures: signatures.map((signature) => ({ ...signature })) };
}

function build({ environment, projectId, parts, known, chunks }: BuildRequest): void {
  const source = engineSourceOf({ manifest: { environment, project_id: projectId }, parts });
  learnFacts({ parts });
  const { result: policies, facts } = recordPatterns(() => {
    const read = source.policies.map(withReading);
    latest = inSharedMemory(makeTables({ ...source, policies: read }, latest));
    return read;
  });
  sendTables(latest, known, chunks);
  const entries = [...facts];
  for (let at = 0; at < entries.length; at += factsPerChunk)
    send(chunks, { kind: "facts", facts: entries.slice(at, at + factsPerChunk) });
  for (const { packs: _, ...policy } of policies) send(chunks, { kind: "policy", policy });
  for (const list of source.lists ?? []) send(chunks, { kind: "list", list });
  for (const schema of source.schemas ?? []) send(chunks, { kind: "schema", schema });
  for (const overlay of source.overlays ?? []) send(chunks, { kind: "overlay", overlay });
}

function withReading(source: PolicySource): PolicySource {
  // A policy document is JSON; its interface only names the keys.
  const reading = parsePolicyInForce(
    source.document as Parameters<typeof parsePolicyInForce>[0],
    catalog,
    source.packs,
  );
  // The parsed policy says the same as the document, and one of them is enough to send.
  return { ...source, document: reading.policy ?? source.document, reading };
}

function inSharedMemory({ automata, indexes, dfas, prefixSets, marks }: Tables): Tables {
  const all = <V>(made: ReadonlyMap<string, V>, known: ReadonlyMap<string, V>) =>
    new Map([...made].map(([key, value]) => [key, known.get(key) ?? shared(value)]));
  return {
    automata: all(automata, latest.automata),
    indexes: all(indexes, latest.indexes),
    dfas: all(dfas, latest.dfas),
    prefixSets: all(prefixSets, latest.prefixSets),
    marks: all(marks, latest.marks),
  };
}

function sendTables(tables: Tables, known: BuildRequest["known"], chunks: MessagePort): void {
  const sendNew = <V>(kind: keyof Tables, made: ReadonlyMap<string, V>) => {
    const keys = new Set(known[kind]);
    for (const entry of made)
      if (!keys.has(entry[0])) send(chunks, { kind: "tables", tables: { ...emptyTables(), [kind]: new Map([entry]) } });
  };
  sendNew("automata", tables.automata);
  sendNew("indexes", tables.indexes);
  sendNew("dfas", tables.dfas);
  sendNew("prefixSets", tables.prefixSets);
  sendNew("marks", tables.marks);
}

function send(chunks: MessagePort, chunk: BuildChunk): void {
  chunks.postMessage(chunk);
}
