// The thread that builds engines beside the one that answers evaluations. It reads and checks what is in a bundle, finds out about its
// patterns and makes the heavy tables, and hands all of that over in pieces. Its own engine is thrown away.

import { type MessagePort, parentPort } from "node:worker_threads";
import { engineSteps } from "../engine/compile.ts";
import type { PolicySource } from "../engine/compiled-policy.ts";
import { catalog } from "../engine/detectors/catalog.ts";
import { parsePolicy } from "../engine/policy/parse.ts";
import { recordPatterns } from "../engine/regex.ts";
import { finish } from "../engine/steps.ts";
import { noTables, type Tables } from "../engine/table-shelf.ts";
import type { BuildAnswer, BuildPiece, BuildRequest } from "./build-message.ts";
import { asRejection, engineSourceOf } from "./compile.ts";
import { shared } from "./shared-memory.ts";

const factsOfPiece = 50;

parentPort?.on("message", (request: BuildRequest) => {
  parentPort?.postMessage(answer(request));
});

function answer(request: BuildRequest): BuildAnswer {
  try {
    build(request);
    return { id: request.id };
  } catch (error) {
    const { reason, message } = asRejection(error);
    return { id: request.id, refusal: { reason, message } };
  } finally {
    request.pieces.close();
  }
}

function build({ environment, projectId, parts, known, pieces }: BuildRequest): void {
  const source = engineSourceOf({ manifest: { environment, project_id: projectId }, parts });
  const { result: policies, facts } = recordPatterns(() => {
    const read = source.policies.map(withReading);
    const engine = finish(engineSteps({ ...source, policies: read }));
    finish(engine.prepareTables());
    sendTables(engine.tables, known, pieces);
    return read;
  });
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

function sendTables(made: Tables, known: BuildRequest["known"], pieces: MessagePort): void {
  for (const [key, value] of made.automata) sendOne("automata", key, value);
  for (const [key, value] of made.dfas) sendOne("dfas", key, value);
  for (const [key, value] of made.leads) sendOne("leads", key, value);
  for (const [key, value] of made.marks) sendOne("marks", key, value);

  function sendOne<K extends keyof Tables>(kind: K, key: string, value: unknown): void {
    if (known[kind].includes(key)) return;
    send(pieces, { kind: "tables", tables: { ...noTables(), [kind]: new Map([[key, shared(value)]]) } });
  }
}

function send(pieces: MessagePort, piece: BuildPiece): void {
  pieces.postMessage(piece);
}
