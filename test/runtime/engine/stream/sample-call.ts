// Tool calls whose arguments come as JSON text, cut anywhere.

import { create, type JsonObject } from "@bufbuild/protobuf";
import { type ToolCall, ToolCallSchema } from "../../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { ToolCallPartSchema } from "../../../../gen/policyguard/policy/v1/stream_pb.ts";
import type { Random } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { CallParts } from "../../../../runtime/stream/call-parts.ts";
import { streamLimits } from "../../../../runtime/stream/stream-limits.ts";
import { chunksOf, oneOf } from "./sample-stream.ts";
import { sampleText } from "./sample-text.ts";

/** Up to two calls with texts in their arguments, at several depths. Most samples have none. */
export function sampleCalls(random: Random): ToolCall[] {
  if (random() < 0.8) return [];
  const count = 1 + Math.floor(random() * 2);
  return Array.from({ length: count }, (_, index) => {
    const args = sampleArguments(random);
    return create(ToolCallSchema, { id: `c${index}`, name: oneOf(["search", "send"], random), arguments: args });
  });
}

/** The calls as they come out of parts that are cut within names, escapes and characters, those of all calls mixed. */
export function callsFromParts(calls: readonly ToolCall[], random: Random): ToolCall[] {
  const collected = new CallParts(streamLimits);
  const waiting = calls.map(({ id, name, arguments: args }) => {
    const texts = chunksOf(oneOf([plainJson, escapedJson], random)(args ?? {}), random);
    return ["", ...texts].map((text, at) =>
      create(ToolCallPartSchema, { id, name: at === 0 ? name : "", arguments: text }),
    );
  });
  // The order of the calls is that of their first parts.
  for (const parts of waiting) for (const part of parts.splice(0, 1)) collected.add(part);
  for (let left = waiting.flat().length; left > 0; left--) {
    const [part] = oneOf(
      waiting.filter(({ length }) => length > 0),
      random,
    ).splice(0, 1);
    if (part !== undefined) collected.add(part);
  }
  return collected.calls();
}

function sampleArguments(random: Random): JsonObject {
  // Halves of pairs have no place in a message.
  const text = () => sampleText(random).toWellFormed();
  return oneOf<() => JsonObject>(
    [
      () => ({}),
      () => ({ to: text(), body: text() }),
      () => ({ list: [text(), 7, null, true], "a/b": { "~c": text() } }),
      () => ({ [text().slice(0, 40).toWellFormed()]: { deep: [{ er: text() }] } }),
    ],
    random,
  )();
}

const plainJson = (value: JsonObject) => JSON.stringify(value);

/** Every character but those of ASCII as an escape. */
function escapedJson(value: JsonObject): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
