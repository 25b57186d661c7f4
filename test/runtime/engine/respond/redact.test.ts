import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { Fingerprints } from "../../../../runtime/engine/respond/fingerprint.ts";
import { mergeSpans, type RedactSpan, redact } from "../../../../runtime/engine/respond/redact.ts";
import { emptyLedger } from "../../../../runtime/engine/segment/session.ts";
import { codePointOffsets } from "../../../../runtime/engine/text/offset.ts";
import { ask, engineOf } from "../sample-engine.ts";

const fingerprints = new Fingerprints(new Uint8Array(32));
const styled = (style: string) =>
  `rules: [{id: a, stages: [input], detect: pii, action: REDACT, redact: {style: ${style}}}]`;

describe("redaction", () => {
  it("takes the category of the first rule for equal spans of different categories", () => {
    const policy = (...categories: string[]) =>
      `rules:\n${categories.map((each) => `  - {id: ${each}, stages: [input], detect: secrets, category: ${each}, action: REDACT}\n`).join("")}`;
    const redacted = (source: string) => ask(engineOf([source]), { text: "KEY-1" }).response.text;
    expect(redacted(policy("k.b", "c", "m.a"))).toBe("[B_1]");
    expect(redacted(policy("m.a", "k.b", "c"))).toBe("[A_1]");
    expect(redacted(policy("c", "m.a", "k.b"))).toBe("[C_1]");
  });

  it("numbers placeholders by distinct value over the whole request", () => {
    const engine = engineOf([styled("placeholder")]);
    const { response } = ask(engine, {
      messages: [
        { role: "user", content: "a@b.cc c@d.ee +1234567" },
        { role: "user", content: "none" },
        { role: "user", content: "c@d.ee" },
      ],
    });
    expect(response.redactedSegments).toMatchObject([
      { id: "s1", text: "[EMAIL_1] [EMAIL_2] [PHONE_1]" },
      { id: "s3", text: "[EMAIL_2]" },
    ]);
    expect(response.text).toBeUndefined();
  });

  it("does not give out a placeholder that the text already contains", () => {
    expect(ask(engineOf([styled("placeholder")]), { text: "[EMAIL_1] a@b.cc" }).response.text).toBe(
      "[EMAIL_1] [EMAIL_2]",
    );
  });

  it.each([
    ["mask", "**********"],
    ["remove", ""],
    ["partial", "********67"],
  ])("replaces in the style %s", (style, expected) => {
    expect(ask(engineOf([styled(style)]), { text: "call +491234567!" }).response.text).toBe(`call ${expected}!`);
  });

  it("replaces by a keyed hash that is equal for equal text", () => {
    const { text = "" } = ask(engineOf([styled("hash")]), { text: "a@b.cc a@b.cc" }).response;
    expect(text).toMatch(/^\[EMAIL:([0-9a-f]{8})\] \[EMAIL:\1\]$/);
  });

  it("gives no text when the outcome is stricter", () => {
    const engine = engineOf([
      styled("placeholder").replace("rules: [", "rules: [{id: k, stages: [input], detect: secrets, action: BLOCK}, "),
    ]);
    const { response } = ask(engine, { text: "KEY-1 a@b.cc" });
    expect(response).toMatchObject({ outcome: Outcome.BLOCK, redactedSegments: [] });
    expect(response.text).toBeUndefined();
  });

  it.each<[string, string, RegExp, string]>([
    ["joiners behind a space", `день ${"\u200d".repeat(19)}:kill`, /\u200d+/, "день :kill"],
    ["joiners between letters", `a${"\u200d".repeat(19)}b`, /\u200d+/, "ab"],
    ["one joiner between letters", "a\u200db", /\u200d/, "ab"],
    ["characters of two units", `a${"\u{e0041}".repeat(3)}b`, /\u{e0041}+/u, "ab"],
    ["a letter behind a joiner", "a\u200db", /b/, "a\u200d"],
    ["a picture behind two joiners", "👩\u200d\u200d👧", /👧/, "👩\u200d\u200d"],
    ["a picture behind a letter's joiner", "a\u200d👧", /👧/, "a\u200d"],
    ["a letter, with the joiners drawn with it", "a\u200d\u200d:b", /a/, ":b"],
    ["one of two letters that a joiner makes one", "क\u094d\u200dष.", /ष/, "."],
    ["one of two pictures that a joiner makes one", "❤️\u200d🔥.", /🔥/, "."],
  ])("takes only what belongs to one character: %s", (_, text, found, expected) => {
    const [value = ""] = found.exec(text) ?? [];
    const start = text.indexOf(value);
    const span: RedactSpan = { segment: 0, start, end: start + value.length, category: "c", style: "remove" };
    expect(redact([text], [span], fingerprints).get(0)).toBe(expected);
  });

  it("takes whole graphemes", () => {
    const family = "👩‍👩‍👧";
    const text = `x${family}e\u0301y👍🏽z`;
    const span = (start: number, end: number): RedactSpan => ({
      segment: 0,
      start,
      end,
      category: "c",
      style: "remove",
    });
    const at = text.indexOf("👍");
    const cut = (...spans: RedactSpan[]) => redact([text], spans, fingerprints).get(0);
    expect(cut(span(at + 1, at + 2))).toBe(`x${family}e\u0301yz`);
    expect(cut(span(at, at + 2))).toBe(`x${family}e\u0301yz`);
    expect(cut(span(text.indexOf("e"), text.indexOf("e") + 1))).toBe(`x${family}y👍🏽z`);
    expect(cut(span(3, 5))).toBe(`xe\u0301y👍🏽z`);
  });

  // Text of every awkward kind: astral letters, combining marks, right-to-left, joiners, lone surrogates.
  const awkward = fc.array(
    fc.constantFrom(
      "a",
      "b",
      " ",
      "é",
      "e\u0301",
      "😀",
      "👍🏽",
      "👩‍👩‍👧",
      "שלום",
      "مرحبا",
      "\u202e",
      "漢字",
      "𝔘",
      "\ud83d",
      "\u200d",
    ),
    { maxLength: 20 },
  );
  const spansOf = (length: number) =>
    fc.array(
      fc.tuple(fc.nat(length), fc.nat(length)).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) + 1 })),
      { maxLength: 6 },
    );

  it("keeps what lies outside the spans, in order, and drops what lies inside", () => {
    const cases = awkward
      .map((parts) => parts.join(""))
      .chain((text) => fc.tuple(fc.constant(text), spansOf(Math.max(0, text.length - 1))));
    fc.assert(
      fc.property(cases, ([text, given]) => {
        fc.pre(text.length > 0);
        const spans = given.map((span): RedactSpan => ({ ...span, segment: 0, category: "c", style: "remove" }));
        const merged = mergeSpans(text, spans);
        for (const { start, end } of given) expect(merged.some((m) => m.start <= start && end <= m.end)).toBe(true);
        for (const [index, m] of merged.entries()) expect(m.start).toBeGreaterThanOrEqual(merged[index - 1]?.end ?? 0);
        const kept = [...text.split("").keys()].filter((unit) => !merged.some((m) => m.start <= unit && unit < m.end));
        const result = redact([text], spans, fingerprints).get(0) ?? text;
        expect(result).toBe(kept.map((unit) => text[unit]).join(""));
        // No pair of surrogates is torn apart: lone ones are only those that were there before.
        const lone = (value: string) => [...value].filter((point) => /^[\ud800-\udfff]$/.test(point)).length;
        expect(lone(result)).toBeLessThanOrEqual(lone(text));
      }),
      { seed: 20261120, numRuns: 2000 },
    );
  });

  it("counts code points as a plain count does", () => {
    fc.assert(
      fc.property(
        awkward.map((parts) => parts.join("")),
        (text) => {
          const count = codePointOffsets(text);
          let units = 0;
          let points = 0;
          for (const point of text) {
            expect(count(units)).toBe(points++);
            units += point.length;
          }
          expect(count(text.length)).toBe(points);
        },
      ),
      { seed: 20261120, numRuns: 1000 },
    );
  });
});

describe("reversible redaction", () => {
  const rule = (redact: string) =>
    engineOf([`rules: [{id: m, stages: [input], detect: pii, action: REDACT, redact: ${redact}}]`]);

  it("returns the originals of the answer's placeholders, once each, with the time that they may be kept", () => {
    const { response, vault } = ask(rule("{reversible: true, ttl: 30m}"), { text: "a@b.cc and a@b.cc and c@d.ee" });
    expect(response.text).toBe("[EMAIL_1] and [EMAIL_1] and [EMAIL_2]");
    expect(vault).toEqual([
      { placeholder: "[EMAIL_1]", original: "a@b.cc", category: "pii.email", ttlMs: 1_800_000 },
      { placeholder: "[EMAIL_2]", original: "c@d.ee", category: "pii.email", ttlMs: 1_800_000 },
    ]);
    expect(JSON.stringify(response)).not.toContain("a@b.cc");
  });

  it("tells nothing when it is not asked for, or when the text is blocked", () => {
    expect(ask(rule("{style: placeholder}"), { text: "a@b.cc" }).vault).toEqual([]);
    const blocking = engineOf([
      "rules: [{id: m, stages: [input], detect: pii, action: REDACT, redact: {reversible: true}}, {id: k, stages: [input], detect: secrets, action: BLOCK}]",
    ]);
    expect(ask(blocking, { text: "a@b.cc KEY-1" }).vault).toEqual([]);
  });

  it("keeps placeholders over the turns of a session", () => {
    const engine = rule("{reversible: true}");
    const first = ask(engine, { text: "a@b.cc" });
    const session = { known: true, ledger: emptyLedger, vault: first.vault };
    const second = ask(engine, { text: "c@d.ee wrote to a@b.cc" }, { session });
    expect(second.response.text).toBe("[EMAIL_2] wrote to [EMAIL_1]");
    // Text that may not be put back never gets a placeholder that can be.
    const fixed = ask(rule("{style: placeholder}"), { text: "a@b.cc" }, { session });
    expect(fixed.response.text).toBe("[EMAIL_2]");
  });
});
