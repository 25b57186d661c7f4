// Files of an export as whoever wants to stop a verifier writes them.

import { describe, expect, it } from "vitest";
import { manifestLine, readManifestLine } from "../../../../src/kit/evidence/extract.ts";
import { manifestText, readManifest } from "../../../../src/kit/evidence/package.ts";

const manifest = { origin: "policy-guard/a/b", treeSize: 1, query: {}, files: [] };

describe("the manifest of an export", () => {
  it("is read as what was written, and none that canonical JSON cannot say", () => {
    const text = manifestText(manifest);
    expect(readManifest(text)).toEqual(manifest);
    for (const query of ['{"a":"\\ud800"}', `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "[]", "{} "])
      expect(readManifest(text.replace('"query":{}', `"query":${query}`)), query.slice(0, 20)).toBeUndefined();
  });
});

describe("the line of a bundle's manifest", () => {
  const named = { seq: 7, bundleId: "149bd00f-4a61-445c-887b-50674c14c419", digest: `sha256:${"0".repeat(64)}` };

  it.each([null, "", '{"parts":["\u00e9\\n"]}'])("is read as what was written: %s", (text) => {
    expect(readManifestLine(manifestLine(named, text).trimEnd())).toEqual({ ...named, manifest: text });
  });

  it("is refused in any other form, before JSON that nests is read", () => {
    const line = manifestLine(named, "{}").trimEnd();
    const nested = `${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}`;
    for (const other of [
      line.replace('"{}"', "{}"),
      line.replace('"{}"', '"\\u007b}"'),
      line.replace('"seq":7', '"seq":07'),
      `${line} `,
      line.slice(0, -1),
      line.replace('"{}"', nested),
      line.replace('"{}"', `"{}","more":${nested}`),
      nested,
    ])
      expect(readManifestLine(other), other.slice(0, 200)).toBeUndefined();
  });
});
