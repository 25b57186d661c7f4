import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entryLine, LineError, type LogEntry, readLogLine } from "../../../../src/kit/evidence/log-file.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\u0001", "\u007f", "é", "\u{1f600}", "\ud800", "a", "{", "}") }),
  fc.json(),
);
const opening = fc.option(
  fc.record({ salt: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes)), value: text }),
  { nil: undefined },
);
const entry = fc
  .record({ seq: fc.maxSafeNat(), leaf: text, actor: opening, address: opening, before: opening, after: opening })
  .map(({ seq, leaf, ...openings }): LogEntry => ({ seq, leaf, openings }));

const given = (line: string) => line.slice(0, -1);

describe("the line of an entry", () => {
  it("is read as what was written, whatever is in it", () => {
    fc.assert(
      fc.property(entry, (written) => {
        const { openings, ...rest } = written;
        const there = Object.fromEntries(Object.entries(openings).filter(([, each]) => each !== undefined));
        expect(readLogLine(given(entryLine(written)))).toEqual({ case: "entry", entry: { ...rest, openings: there } });
      }),
      { seed: 23, numRuns: 1_000 },
    );
  });

  it("has one spelling: the same JSON in other bytes is refused", () => {
    const salt = Buffer.alloc(16, 7);
    const some = { salt, value: '"a/b"' };
    const line = given(entryLine({ seq: 7, leaf: '{"v":2}', openings: { actor: some, address: some } }));
    const others = [
      line.replace("a/b", "a\\/b"),
      line.replace("a/b", "\\u0061/b"),
      line.replace('\\"v', "\\u0022v"),
      line.replace('"seq":7', '"seq":7.0'),
      line.replace('"seq":7', '"seq":07'),
      line.replace('"seq":7', '"seq": 7'),
      line.replace("0707", "0G07"),
      line.replace('"before":null', '"before":null,"more":null'),
      `${line} `,
      line.replace("a/b", "a\tb"),
      line.replace("a/b", "a\\x"),
    ];
    for (const other of others) {
      expect(other).not.toBe(line);
      expect(() => readLogLine(other), other).toThrow();
    }
    expect(readLogLine(line)).toMatchObject({ case: "entry", entry: { seq: 7, openings: { actor: some } } });
  });

  it("is refused as such when it nests without end", () => {
    for (const line of [
      `${'{"seq":'.repeat(100_000)}1${"}".repeat(100_000)}`,
      `{"seq":0,"leaf":"","openings":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    ])
      expect(() => readLogLine(line)).toThrow(LineError);
  });
});
