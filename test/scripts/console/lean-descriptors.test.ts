import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary, getExtension, hasExtension } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { leanModule } from "../../../scripts/console/lean-descriptors.ts";

const gen = join(import.meta.dirname, "../../../gen");
const modules = globSync("policyguard/**/*_pb.ts", { cwd: gen }).map((name) => readFileSync(join(gen, name), "utf8"));

/** The argument of the generated call, which a browser evaluates as this does. */
function base64In(code: string): string {
  const [, plain, text] = /fileDesc\((?:"([^"]+)"|[^(]*btoa\(("(?:[^"\\]|\\.)*")\))/.exec(code) ?? [];
  return plain ?? btoa(JSON.parse(text ?? '""'));
}

function descriptorIn(code: string): FileDescriptorProto {
  return fromBinary(FileDescriptorProtoSchema, base64Decode(base64In(code)));
}

/** Everything that a descriptor says, but for options that are extensions; of those, the spelling of enum values. */
function said(file: FileDescriptorProto): string {
  return JSON.stringify(file, (key, value) => {
    if (key === "$unknown") return undefined;
    if (key !== "options" || value === undefined) return value;
    const isSpelled = value.$typeName === "google.protobuf.EnumValueOptions" && hasExtension(value, wire);
    const { $typeName: _, $unknown: __, ...own } = value;
    const all = isSpelled ? { ...own, wire: getExtension(value, wire) } : own;
    return Object.keys(all).length === 0 ? undefined : all;
  });
}

test("a lean descriptor has every message, field, method and spelling of its file, and nothing that only servers read", () => {
  expect(modules.length).toBeGreaterThan(50);
  for (const code of modules) {
    const lean = leanModule(code);
    expect(said(descriptorIn(lean))).toBe(said(descriptorIn(code)));
    expect(/fileDesc\([^)]*\b(?:file_buf_validate_validate|file_google_api_annotations)\b/.test(lean)).toBe(false);
  }
  const weights = [base64In, (code: string) => base64In(leanModule(code))].map((textOf) =>
    modules.reduce((total, code) => total + textOf(code).length, 0),
  );
  expect(weights[1]).toBeLessThan(0.8 * (weights[0] ?? 0));
});
