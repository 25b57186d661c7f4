// Logs as files: what is verified, and which entry is named when a byte, a line or a history is another.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reportProgress, reportSample, sampleOf } from "../../../../scripts/assurance/sample.ts";
import { checkpointText, verifyCheckpoint } from "../../../../src/kit/evidence/checkpoint.ts";
import { commitmentOf, leafHash } from "../../../../src/kit/evidence/leaf.ts";
import { entryLine, tileLine } from "../../../../src/kit/evidence/log-file.ts";
import { LogError, LogVerifier } from "../../../../src/kit/evidence/log-verifier.ts";
import { PackageDigests } from "../../../../src/kit/evidence/package-digest.ts";
import { MadeLog } from "../../../harness/made-log.ts";

function verified(log: MadeLog, lines: readonly string[], kept: readonly number[] = []) {
  const heads = kept.map((size) => verifyCheckpoint(log.checkpoint(size), [log.key]));
  const verifier = new LogVerifier(() => [log.key], { kept: heads });
  for (const line of lines) verifier.add(line);
  return verifier.end();
}

function refusal(log: MadeLog, lines: readonly string[], kept: readonly number[] = []): LogError {
  try {
    verified(log, lines, kept);
  } catch (error) {
    if (error instanceof LogError) return error;
    throw error;
  }
  throw new Error("the log was accepted");
}

/** Number of the entry of a line, or of the one that is next there. */
function seqOf(lines: readonly string[], at: number): number {
  const next = lines.slice(at).find((line) => line.startsWith('{"seq":'));
  return next === undefined ? Number.NaN : Number(/^\{"seq":(\d+)/.exec(next)?.[1]);
}

const log = new MadeLog().grow(600);
const lines = log.lines();

describe("a log as a file", () => {
  it.each([0, 1, 2, 255, 256, 257, 512, 600])("is verified when it has %i entries", (size) => {
    expect(verified(log, log.lines({ size }))).toMatchObject({ size, entries: size, erased: 0 });
  });

  it("is verified above tiles of three levels, and continues checkpoints of any size", () => {
    const large = new MadeLog().grow(65_600);
    const kept = [0, 1, 3, 256, 300, 65_536, 65_599, 65_600];
    expect(verified(large, large.lines(), kept)).toMatchObject({ size: 65_600, entries: 65_600 });
  });

  it("shows what was erased, and verifies the rest", () => {
    const erased = { ...log.entries[7], seq: 7, leaf: log.entries[7]?.leaf ?? "", openings: {} };
    const without = log.lines({ leaveOut: (seq) => (seq === 7 ? erased : undefined) });
    expect(without.find((line) => line.startsWith('{"seq":7,'))).toMatch(
      /"openings":\{"actor":null,"address":null,"before":null,"after":null\}\}$/,
    );
    expect(verified(log, without)).toMatchObject({ entries: 600, erased: 4 });
  });

  it("may leave entries out when it says so, and then has fewer hashes", () => {
    const some = log.lines({ leaveOut: (seq) => (seq === 300 ? undefined : { seq, because: "query" }) });
    expect(verified(log, some)).toMatchObject({ entries: 1, leftOut: { query: 599, retention: 0 } });
    expect(some.filter((line) => line.startsWith('{"tile":'))).toHaveLength(3);
    expect(refusal(log, some, [200]).message).toContain("leaves out what the kept checkpoint over 200 is about");
    const forgotten = log.lines({ leaveOut: (seq) => (seq < 300 ? { seq, because: "retention" } : undefined) });
    expect(verified(log, forgotten)).toMatchObject({ entries: 300, leftOut: { query: 0, retention: 300 } });
  });

  it("is refused when another key signed it, or when it does not continue what was kept", () => {
    const other = new MadeLog().grow(700, "other");
    expect(refusal(other, lines).message).toContain("none of the given keys signed");
    const forked = verifyCheckpoint(other.checkpoint(300), [other.key]);
    const verifier = new LogVerifier(() => [log.key], { kept: [forked] });
    const addAll = () => {
      for (const line of lines) verifier.add(line);
    };
    expect(addAll).toThrow("the kept checkpoint over 300 entries is of another history");
    const longer = verifyCheckpoint(other.checkpoint(700), [other.key]);
    const short = new LogVerifier(() => [log.key], { kept: [longer] });
    expect(() => short.add(lines[0] ?? "")).toThrow("the log has 600 entries, and a kept checkpoint is over 700");
  });

  it("is refused where an entry, its tile and all above it were made anew without the key", () => {
    const forged = new MadeLog().grow(600, "forged");
    const others = forged.lines();
    // With its own leaf and hash, so that only the signed root tells.
    const at = lines.findIndex((line) => line.startsWith('{"seq":400,'));
    expect(refusal(log, lines.with(at, others[at] ?? ""))).toMatchObject({ seq: 400 });
    const tile = lines.findIndex((line) => line.startsWith('{"tile":[0,1]'));
    expect(refusal(log, lines.with(tile, others[tile] ?? ""))).toMatchObject({
      seq: 256,
      message: "an entry from 256 to 511 is not the one that was signed: their tile differs",
    });
    expect(refusal(log, [lines[0] ?? "", ...others.slice(1)]).message).toContain("do not make the root");
  });

  it("is refused when two tiles are swapped, or two hashes in a tile", () => {
    const tiles = lines.flatMap((line, at) => (line.startsWith('{"tile":') ? [at] : []));
    expect(tiles.length).toBeGreaterThan(3);
    for (const one of tiles) {
      for (const two of tiles.filter((at) => at > one)) {
        const [first = "", second = ""] = [lines[one], lines[two]];
        refusal(log, lines.with(one, second).with(two, first));
        // Each under the other's address, so that only its hashes are wrong.
        const address = (line: string) => line.slice(0, line.indexOf(',"hashes"'));
        const hashes = (line: string) => line.slice(line.indexOf(',"hashes"'));
        refusal(log, lines.with(one, address(first) + hashes(second)).with(two, address(second) + hashes(first)));
      }
      const { tile, hashes } = JSON.parse(lines[one] ?? "");
      const bytes = Buffer.from(hashes, "base64");
      if (bytes.length === 32) continue;
      const swapped = Buffer.concat([bytes.subarray(32, 64), bytes.subarray(0, 32), bytes.subarray(64)]);
      refusal(log, lines.with(one, JSON.stringify({ tile, hashes: swapped.toString("base64") })));
    }
  });

  it("is refused when the log itself signed a leaf of another form, number or organization", () => {
    const [first] = log.entries;
    if (first === undefined) throw new Error("the log has entries");
    const former = { ...first, leaf: first.leaf.replace('"v":2', '"v":1') };
    for (const [entry, message] of [
      [former, "another form than 2"],
      [{ ...first, leaf: first.leaf.replace('"seq":0', '"seq":5') }, "another number"],
      [{ ...first, leaf: first.leaf.replace(/"org_id":"5/, '"org_id":"6') }, "another organization"],
    ] as const) {
      const root = leafHash(entry.leaf);
      const origin = log.key.name;
      const note = log.signed(checkpointText({ origin, size: 1, root }));
      const made = [JSON.stringify({ checkpoint: note }), tileLine({ level: 0, n: 0, hashes: root }), entryLine(entry)];
      expect(
        refusal(
          log,
          made.map((line) => line.trimEnd()),
        ).message,
      ).toContain(message);
    }
  });

  it("is refused when the log itself signed a value that is no JSON, or nests without end", () => {
    const [first] = log.entries;
    if (first === undefined) throw new Error("the log has entries");
    for (const value of ["no JSON", `${"[".repeat(200_000)}${"]".repeat(200_000)}`]) {
      const after = { salt: Buffer.alloc(16), value };
      const action = "gates.update";
      const leaf = JSON.stringify({ ...JSON.parse(first.leaf), action, after: commitmentOf("after", after) });
      const root = leafHash(leaf);
      const note = log.signed(checkpointText({ origin: log.key.name, size: 1, root }));
      const entry = { seq: 0, leaf, openings: { ...first.openings, after } };
      const verifier = new LogVerifier([log.key], { listener: new PackageDigests() });
      const made = [JSON.stringify({ checkpoint: note }), tileLine({ level: 0, n: 0, hashes: root }), entryLine(entry)];
      expect(() => made.forEach((line) => void verifier.add(line.trimEnd()))).toThrow(
        "entry 0: it says what no entry can say",
      );
    }
  });

  it("names the first entry that is wrong, whatever was done to a line", () => {
    const { n, seed } = sampleOf({ n: 100, seed: 23 });
    const entry = fc.nat(lines.length - 1).filter((at) => (lines[at] ?? "").startsWith('{"seq":'));
    const line = fc.nat(lines.length - 1);
    let done = 0;
    const tried = (property: fc.IProperty<[number, number]>) =>
      fc.assert(property, { numRuns: Math.ceil(n / 5), seed });
    const refused = (made: readonly string[]) => {
      reportProgress(++done);
      return refusal(log, made);
    };
    tried(
      fc.property(line, fc.nat(), (at, place) => {
        const text = lines[at] ?? "";
        const index = place % text.length;
        const flipped = String.fromCharCode(text.charCodeAt(index) ^ (1 << (place % 7)));
        const { seq } = refused(lines.with(at, text.slice(0, index) + flipped + text.slice(index + 1)));
        if (text.startsWith('{"seq":')) expect(seq).toBe(seqOf(lines, at));
      }),
    );
    tried(
      fc.property(entry, fc.nat(), (at, _) => {
        expect(refused(lines.toSpliced(at, 1)).seq).toBe(seqOf(lines, at));
      }),
    );
    tried(
      fc.property(entry, line, (at, from) => {
        const inserted = refused(lines.toSpliced(at, 0, lines[from] ?? "")).seq;
        expect([seqOf(lines, at), seqOf(lines, at) + 1]).toContain(inserted);
      }),
    );
    tried(
      fc.property(entry, entry, (one, two) => {
        fc.pre(one !== two);
        const swapped = lines.with(one, lines[two] ?? "").with(two, lines[one] ?? "");
        expect(refused(swapped).seq).toBe(seqOf(lines, Math.min(one, two)));
      }),
    );
    tried(
      fc.property(line, line, (at, _) => {
        fc.pre(at > 0);
        const { seq } = refused(lines.slice(0, at));
        if ((lines[at] ?? "").startsWith('{"seq":')) expect(seq).toBe(seqOf(lines, at));
      }),
    );
    reportSample({ n: done, failures: 0 });
  });
});
