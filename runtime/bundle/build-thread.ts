// The thread that builds engines beside the one that answers evaluations. It reads and checks what is in a bundle, finds out about its
// patterns and makes the heavy tables, and hands all of that over in pieces. Its own engine is thrown away.

import { type MessagePort, parentPort } from "node:worker_threads";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { BundleSchema, PartSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { SignedStatement } from "../../src/kit/statement.ts";
import { engineSteps } from "../engine/compile.ts";
import type { PolicySource } from "../engine/compiled-policy.ts";
import { catalog } from "../engine/detectors/catalog.ts";
import { parsePolicy } from "../engine/policy/parse.ts";
import { recordPatterns } from "../engine/regex.ts";
import { finish } from "../engine/steps.ts";
import { noTables, type Tables } from "../engine/table-shelf.ts";
import type { BuildAnswer, BuildPiece, BuildRequest, Verification, VerifyRequest } from "./build-message.ts";
import { asRejection, engineSourceOf, learnFacts } from "./compile.ts";
import { BundleRejection } from "./rejection.ts";
import { shared } from "./shared-memory.ts";
import { verifyBundle } from "./verify.ts";

const factsOfPiece = 50;

/** The tables of the last bundle, in shared memory: of one bundle and the next, most are the same. */
let latest = noTables();

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
    if (request.kind === "build") request.pieces.close();
  }
}

async function verify({ check, statements, parts }: VerifyRequest): Promise<Verification> {
  const bundle = create(BundleSchema, {
    manifest: messageOf(statements.manifest),
    activation: messageOf(statements.activation),
    keys: messageOf(statements.keys),
    // Views of memory that no one moves.
    parts: parts.map((part) => create(PartSchema, part as MessageInitShape<typeof PartSchema>)),
  });
  const { manifest, digest, activation, keySet } = await verifyBundle({ ...check, bundle });
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

function build({ environment, projectId, parts, known, pieces }: BuildRequest): void {
  const source = engineSourceOf({ manifest: { environment, project_id: projectId }, parts });
  learnFacts({ parts });
  const { result: policies, facts } = recordPatterns(() => {
    const read = source.policies.map(withReading);
    const engine = finish(engineSteps({ ...source, policies: read }, { tables: latest }));
    finish(engine.prepareTables());
    latest = inSharedMemory(engine.tables);
    return read;
  });
  sendTables(latest, known, pieces);
  const entries = [...facts];
  for (let at = 0; at < entries.length; at += factsOfPiece)
    send(pieces, { kind: "facts", facts: entries.slice(at, at + factsOfPiece) });
  for (const { packs: _, ...policy } of policies) send(pieces, { kind: "policy", policy });
  for (const list of source.lists ?? []) send(pieces, { kind: "list", list });
  for (const schema of source.schemas ?? []) send(pieces, { kind: "schema", schema });
}

function withReading(source: PolicySource): PolicySource {
  // A policy document is JSON; its interface only names the keys.
  const reading = parsePolicy(source.document as Parameters<typeof parsePolicy>[0], catalog, source.packs);
  // What was read says the same as what was written, and one of them is enough to send.
  return { ...source, document: reading.policy ?? source.document, reading };
}

function inSharedMemory({ automata, dfas, leads, marks }: Tables): Tables {
  const all = <V>(made: ReadonlyMap<string, V>, known: ReadonlyMap<string, V>) =>
    new Map([...made].map(([key, value]) => [key, known.get(key) ?? shared(value)]));
  return {
    automata: all(automata, latest.automata),
    dfas: all(dfas, latest.dfas),
    leads: all(leads, latest.leads),
    marks: all(marks, latest.marks),
  };
}

function sendTables(tables: Tables, known: BuildRequest["known"], pieces: MessagePort): void {
  const sendNew = <V>(kind: keyof Tables, made: ReadonlyMap<string, V>) => {
    const keys = new Set(known[kind]);
    for (const entry of made)
      if (!keys.has(entry[0])) send(pieces, { kind: "tables", tables: { ...noTables(), [kind]: new Map([entry]) } });
  };
  sendNew("automata", tables.automata);
  sendNew("dfas", tables.dfas);
  sendNew("leads", tables.leads);
  sendNew("marks", tables.marks);
}

function send(pieces: MessagePort, piece: BuildPiece): void {
  pieces.postMessage(piece);
}
