// Tool calls in parts are as strictly read as those of a unary request.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { type ToolCallPart, ToolCallPartSchema } from "../../../gen/policyguard/policy/v1/stream_pb.ts";
import { CallParts } from "../../../runtime/stream/call-parts.ts";
import { streamLimits } from "../../../runtime/stream/stream-limits.ts";

function callsOf(...parts: readonly Partial<Omit<ToolCallPart, "$typeName">>[]) {
  const collected = new CallParts(streamLimits);
  for (const part of parts) collected.add(create(ToolCallPartSchema, { id: "c1", ...part }));
  return collected.calls();
}

describe("tool calls in parts", () => {
  it("are put together", () => {
    const calls = callsOf({ name: "send", arguments: '{"to":"a' }, { arguments: 'nn"}' });
    expect(calls).toMatchObject([{ id: "c1", name: "send", arguments: { to: "ann" } }]);
  });

  it("may be without arguments", () => {
    expect(callsOf({ name: "stop" })).toMatchObject([{ name: "stop", arguments: {} }]);
  });

  it.each([
    ["a key that comes twice", '{"to":"forbidden fruit","to":"x"}', /"to" appears twice/],
    ["a key that comes twice further in", '{"a":[{"to":1,"to":2}]}', /"to" appears twice/],
    ["half of a surrogate pair", '{"to":"\\ud83d"}', /unpaired surrogate/],
    ["what is no JSON", '{"to":', /not valid JSON/],
    ["what is no object", "[]", /expected an object/],
  ])("are refused with %s in their arguments", (_, text, reason) => {
    expect(() => callsOf({ name: "send", arguments: text })).toThrow(reason);
  });

  it("are refused without a name", () => {
    expect(() => callsOf({ arguments: "{}" })).toThrow(/tool_call\.name/);
  });
});
