import { describe, expect, it } from "vitest";
import { etagOf, ifNoneMatch, readEtag } from "../../../../src/kit/bundle/entity-tag.ts";

const etag = etagOf(`sha256:${"ab".repeat(32)}`, 57);

describe("entity tags of bundles", () => {
  it("are strong and name the digest and the activation", () => {
    expect(etag).toBe(`"sha256-${"ab".repeat(32)}-57"`);
  });

  it.each([
    ["the tag itself", etag],
    ["the tag marked weak", `W/${etag}`],
    ["any tag", "*"],
    ["any tag, with blanks", "  * "],
    ["a list that has it", `"other", ${etag}`],
    ["a list without blanks", `"other",W/${etag},"more"`],
    ["a list with empty elements", `, ,${etag},`],
    ["a list with a comma inside a tag", `"a,b", ${etag}`],
  ])("match %s", (_, header) => {
    expect(ifNoneMatch(header, etag)).toBe(true);
  });

  it.each([
    ["no header", undefined],
    ["an empty header", ""],
    ["another tag", '"other"'],
    ["the same bundle under another activation", etagOf(`sha256:${"ab".repeat(32)}`, 58)],
    ["the tag without quotes", etag.slice(1, -1)],
    ["a tag of which it is a part", `"x${etag.slice(1)}`],
    ["a lower-case weakness mark", `w/${etag}`],
    ["a star in a list", `"other", *`],
    ["the tag inside another tag's commas", `"a,${etag.slice(1, -1)},b"`],
  ])("do not match %s", (_, header) => {
    expect(ifNoneMatch(header, etag)).toBe(false);
  });

  it("are compared in time that does not grow with hostile headers", () => {
    const before = performance.now();
    for (const filler of [",", " ", '"', ", ", '",', 'W/"', '"a",']) ifNoneMatch(filler.repeat(20_000), etag);
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  it("are read as what they were made of, and only when they stand alone", () => {
    expect(readEtag(etag)).toEqual({ digest: `sha256:${"ab".repeat(32)}`, activationSeq: 57 });
    for (const other of ["*", "", `W/${etag}`, `${etag}, ${etag}`, etag.slice(1, -1), '"sha256-ab-57"'])
      expect(readEtag(other)).toBeUndefined();
  });
});
