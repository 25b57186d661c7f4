// Where a graph keeps weights, read from bytes that no tool writes and every reader of protobuf takes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { externalLocations } from "../../../runtime/model-host/external-data.ts";

const key = (text: string): Buffer => field(1, Buffer.from(text));
const value = (text: string): Buffer => field(2, Buffer.from(text));

/** A field of bytes, shorter than 128. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}

/** A model with a tensor whose external data has these entries: ModelProto.graph.initializer.external_data. */
function modelOf(...entries: Buffer[]): Buffer {
  return field(7, field(5, Buffer.concat(entries.map((entry) => field(13, entry)))));
}

describe("the external data of a graph", () => {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-external-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  function locationsIn(bytes: Buffer): string[] {
    const path = join(folder, "model.onnx");
    writeFileSync(path, bytes);
    return [...externalLocations(path)];
  }

  it("is found where a key comes before its value, and no other value is taken for it", () => {
    const model = modelOf(
      Buffer.concat([key("location"), value("weights.bin")]),
      Buffer.concat([key("offset"), value("0")]),
    );
    expect(locationsIn(model)).toEqual(["weights.bin"]);
  });

  it.each([
    ["after its value", [value("../a"), key("location")], ["../a"]],
    ["a second time", [key("offset"), value("../a"), key("location")], ["../a"]],
    ["before another key", [key("location"), value("../a"), key("offset")], ["../a"]],
    ["with two values", [key("location"), value("b"), value("../a")], ["b", "../a"]],
  ])("is found where a key comes %s", (_, fields, locations) => {
    expect(locationsIn(modelOf(Buffer.concat(fields)))).toEqual(locations);
  });

  it("is refused where a field has a number of more than 32 bits, which others would cut", () => {
    const graph = modelOf(Buffer.concat([key("location"), value("../a")])).subarray(1);
    const tag = Buffer.from([0xba, 0x80, 0x80, 0x80, 0x10]);
    expect(() => locationsIn(Buffer.concat([tag, graph]))).toThrow("has a number that is too long");
  });
});
