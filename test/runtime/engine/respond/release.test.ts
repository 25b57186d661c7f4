// A stream holds back what a match could still need, and prose needs little of that: whatever the detector, it goes on
// soon.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import { context, streamEngine } from "../stream/sample-stream.ts";

const parameters: Readonly<Record<string, string>> = {
  canary: "canaries: [Q7ZK-2XVB9M-KD83]",
  injection: "disguises: false",
  keywords: "keywords: [blue bird]",
  regex: "patterns: ['\\bABC-[0-9]{4}\\b']",
  language: "deny: [sw]",
  topics: "topics: [weapons]",
};
/** Two windows of a model, less a block that they share, and what stands around a match. */
const mostUnits = 1_000;
const prose = {
  English: "The committee met on Tuesday. ",
  German: "Der Ausschuss tagte am Dienstag, und alle waren da. ",
  Polish: "Komisja zebrała się we wtorek i wszyscy przyszli. ",
  Japanese: "委員会は火曜日に開かれ、全員が出席しました。\n",
  code: "for (const each of list) total += each.size * 2;\n",
} as const;

/** They hold some thousand units whatever the text is, as docs/streaming.md says. */
const slow = new Set(["encoding", "unicode"]);
const engines = new Map<string, ReturnType<typeof compiled>>();
const followed = catalog.filter(({ id, scope, costClass }) => {
  if (costClass === "backend" || scope === "whole" || slow.has(id)) return false;
  return engineOf(id).openStream(create(EvaluateRequestSchema), context).untilVerdict.length === 0;
});

function compiled(id: string) {
  return streamEngine(
    `detectors: {d: {use: ${id}${parameters[id] === undefined ? "" : `, ${parameters[id]}`}}}\nrules: [{id: r, stages: [output], detect: d, action: BLOCK}]`,
  );
}

/** Compiled once for all that is read. */
function engineOf(id: string) {
  const engine = engines.get(id) ?? compiled(id);
  engines.set(id, engine);
  return engine;
}

describe("a stream releases prose soon", () => {
  it("with most detectors", () => {
    expect(followed.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["injection", "pii", "secrets", "regex", "keywords"]),
    );
  });

  it.each(
    followed.flatMap(({ id }) => Object.keys(prose).map((language) => [id, language as keyof typeof prose] as const)),
  )("when %s reads %s", (id, language) => {
    const stream = engineOf(id).openStream(create(EvaluateRequestSchema), context);
    let heldBack = 0;
    let most = 0;
    for (let sent = 0; sent < 4_000; sent += prose[language].length) {
      heldBack += prose[language].length - stream.push(prose[language]).released.length;
      most = Math.max(most, heldBack);
    }
    expect(most).toBeLessThanOrEqual(mostUnits);
  });
});
