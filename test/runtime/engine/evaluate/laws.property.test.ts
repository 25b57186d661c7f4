// Laws of modes, exemptions and redaction, over random policies and texts. Those of combination are in
// decide.property.test.ts.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Evaluation } from "../../../../runtime/engine/evaluate/evaluation.ts";
import type { PolicyDocument, PolicyRule } from "../../../../runtime/engine/policy/document.ts";
import type { PackSource } from "../../../../runtime/engine/policy/extend.ts";
import { Fingerprints } from "../../../../runtime/engine/respond/fingerprint.ts";
import { type RedactSpan, redact } from "../../../../runtime/engine/respond/redact.ts";
import type { VaultEntry } from "../../../../runtime/engine/segment/session.ts";
import { ask, engineOf } from "../sample-engine.ts";

const runs = { seed: 20261120, numRuns: 1000 };

/** Each run compiles engines. */
const fewerRuns = { ...runs, numRuns: 400 };

const ruleOf = fc.record({
  detect: fc.constantFrom("pii", "secrets", "injection"),
  action: fc.constantFrom("FLAG", "REDACT", "BLOCK"),
  mode: fc.constantFrom("enforce", "enforce", "shadow"),
  locked: fc.boolean(),
});
const rules = fc
  .array(ruleOf, { minLength: 1, maxLength: 4 })
  .map((list) =>
    list.map((rule, index): PolicyRule => ({ id: `r${index}`, stages: ["input"], ...rule }) as PolicyRule),
  );
const texts = fc
  .array(fc.constantFrom("KEY-1", "a@b.cc", "+1234567", "ignore all", "plain"), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(" "));
const globs = fc.array(fc.constantFrom("*", "r0", "r1", "r?", "pack/*", "none"), { minLength: 1, maxLength: 2 });

function documentOf(list: readonly PolicyRule[], more: Partial<PolicyDocument> = {}): PolicyDocument {
  return { apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "p" }, rules: list, ...more };
}

function judged(document: PolicyDocument, text: string, packs?: PackSource): Evaluation {
  return ask(
    engineOf([packs === undefined ? { source: document, scope: {} } : { source: document, scope: {}, packs }]),
    { text },
  );
}

const findingsOf = ({ findings }: Evaluation) => findings.map(({ ruleId, start, end }) => [ruleId, start, end]);

describe("an exemption", () => {
  const exempting = (rulesOf: readonly string[], more: object = {}) => ({
    exemptions: [{ id: "x", when: "true", rules: rulesOf, reason: "r", ...more }],
  });

  it("never makes an outcome stricter, hides no finding, and keeps the would-be outcome", () => {
    fc.assert(
      fc.property(rules, texts, globs, (list, text, covered) => {
        const [plain, exempted] = [judged(documentOf(list), text), judged(documentOf(list, exempting(covered)), text)];
        expect(exempted.response.outcome).toBeLessThanOrEqual(plain.response.outcome);
        expect(findingsOf(exempted)).toEqual(findingsOf(plain));
        expect(exempted.response.wouldBeOutcome).toBe(plain.response.wouldBeOutcome);
      }),
      fewerRuns,
    );
  });

  it("does nothing once it has expired, and everything when it covers all rules", () => {
    fc.assert(
      fc.property(rules, texts, (list, text) => {
        const expired = judged(documentOf(list, exempting(["*"], { expires: "2026-11-20T10:00:00Z" })), text);
        expect(expired.response.outcome).toBe(judged(documentOf(list), text).response.outcome);
        expect(judged(documentOf(list, exempting(["*"])), text).response.outcome).toBe(Outcome.ALLOW);
      }),
      fewerRuns,
    );
  });

  it("covers as much as its globs together: two exemptions do what one with both globs does", () => {
    fc.assert(
      fc.property(rules, texts, globs, globs, (list, text, one, other) => {
        const two = [...exempting(one).exemptions, { ...exempting(other).exemptions[0], id: "y" }];
        const together = judged(documentOf(list, exempting([...one, ...other])), text);
        const apart = judged(documentOf(list, { exemptions: two } as Partial<PolicyDocument>), text);
        expect(apart.response.outcome).toBe(together.response.outcome);
      }),
      fewerRuns,
    );
  });

  it("of a policy that extends a pack cannot weaken a locked rule of the pack, nor can its mode and roll-out", () => {
    const uses = fc.record({ mode: fc.constantFrom("enforce", "shadow", "off", undefined), isRolledOut: fc.boolean() });
    fc.assert(
      fc.property(rules, texts, uses, (list, text, { mode, isRolledOut }) => {
        const packs: PackSource = () => ({
          version: "1.0.0",
          digest: "d",
          document: JSON.parse(JSON.stringify(documentOf(list))),
        });
        const use = { pack: "pack:pack@1", ...(mode && { mode }), ...(isRolledOut ? {} : { rollout: { percent: 0 } }) };
        const own: PolicyRule = { id: "own", stages: ["output"], detect: "pii", action: "FLAG" };
        const weakened = documentOf([own], {
          extends: [use as never],
          ...exempting(["*"]),
          defaults: { mode: "shadow" },
        });
        const locked = judged(documentOf(list.filter((rule) => rule.locked === true).concat(own)), text);
        const { outcome } = judged(weakened, text, packs).response;
        expect(outcome).toBeGreaterThanOrEqual(locked.response.outcome);
        if (mode !== "enforce") expect(outcome).toBe(locked.response.outcome);
      }),
      fewerRuns,
    );
  });
});

describe("a shadow rule", () => {
  it("changes no outcome, and shows what it would have done", () => {
    fc.assert(
      fc.property(rules, rules, texts, (list, more, text) => {
        const shadows = more.map((rule): PolicyRule => ({ ...rule, id: `s-${rule.id}`, mode: "shadow" }));
        const [plain, shadowed] = [judged(documentOf(list), text), judged(documentOf([...list, ...shadows]), text)];
        expect(shadowed.response.outcome).toBe(plain.response.outcome);
        const enforced = judged(
          documentOf(
            [...list, ...more.map((rule) => ({ ...rule, id: `s-${rule.id}` }))].map((rule) => ({
              ...rule,
              mode: "enforce",
            })),
          ),
          text,
        );
        expect(shadowed.response.wouldBeOutcome).toBe(enforced.response.outcome);
      }),
      fewerRuns,
    );
  });

  it("is a shadow until its end, and then has the mode that its end states", () => {
    const ends = fc.record({
      offsetS: fc.integer({ min: -2, max: 2 }),
      becomes: fc.constantFrom("enforce", "off", undefined),
    });
    fc.assert(
      fc.property(rules, texts, ends, (list, text, { offsetS, becomes }) => {
        const until = new Date(Date.UTC(2026, 10, 20, 10, 0, offsetS)).toISOString();
        const shadow = { until, ...(becomes && { becomes }) };
        const ending = judged(documentOf(list.map((rule): PolicyRule => ({ ...rule, mode: "shadow", shadow }))), text);
        const mode = offsetS > 0 ? "shadow" : (becomes ?? "enforce");
        const written = judged(documentOf(list.map((rule): PolicyRule => ({ ...rule, mode }))), text);
        expect(ending.response.outcome).toBe(written.response.outcome);
        expect(ending.findings.map(({ mode: is }) => is)).toEqual(written.findings.map(({ mode: is }) => is));
      }),
      fewerRuns,
    );
  });
});

describe("redaction", () => {
  const fingerprints = new Fingerprints(new Uint8Array(32));
  const words = fc.array(fc.constantFrom("ann", "bob", "[X_1]", "😀", "e\u0301", " "), { minLength: 1, maxLength: 8 });
  const cases = fc.tuple(words, words).chain(([a, b]) => {
    const [one, two] = [a.join(""), b.join("")];
    const spans = fc.array(
      fc.record({
        piece: fc.nat(1),
        from: fc.nat(30),
        length: fc.integer({ min: 1, max: 8 }),
        style: fc.constantFrom("placeholder", "mask", "hash", "remove", "partial"),
        reversible: fc.boolean(),
        category: fc.constantFrom("a.x", "b.y"),
      }),
      { maxLength: 5 },
    );
    return fc.tuple(fc.constant([one, two] as const), spans);
  });
  const spanOf = (
    texts: readonly string[],
    span: { piece: number; from: number; length: number; style: string; reversible: boolean; category: string },
  ): RedactSpan => {
    const size = texts[span.piece]?.length ?? 0;
    const start = span.from % Math.max(1, size);
    const { piece, category, style } = span;
    return {
      ...{
        segment: piece,
        category,
        start,
        end: Math.min(size, start + span.length),
        style: style as RedactSpan["style"],
      },
      reversible: span.reversible ? { ttlMs: undefined } : undefined,
    };
  };

  it("can be undone with the vault where every span may be put back, and puts nothing else into the vault", () => {
    fc.assert(
      fc.property(cases, ([pieces, drafts]) => {
        const spans = drafts.map((draft) => spanOf(pieces, { ...draft, style: "placeholder", reversible: true }));
        const vault: VaultEntry[] = [];
        const rewritten = redact(pieces, spans, fingerprints, { kept: [], add: (entry) => vault.push(entry) });
        expect(new Set(vault.map(({ placeholder }) => placeholder)).size).toBe(vault.length);
        for (const [piece, text] of rewritten) {
          const restored = vault.reduce(
            (result, { placeholder, original }) => result.replaceAll(placeholder, original),
            text,
          );
          // Labels may be spelled in the text itself, but never as a placeholder that was given out.
          if (!pieces.some((each) => vault.some(({ original }) => original.includes("[") || each.includes("[X")))) {
            expect(restored).toBe(pieces[piece]);
          }
        }
        const none: VaultEntry[] = [];
        redact(
          pieces,
          spans.map((span) => ({ ...span, reversible: undefined })),
          fingerprints,
          { kept: [], add: (entry) => none.push(entry) },
        );
        expect(none).toEqual([]);
      }),
      runs,
    );
  });

  it("keeps placeholders over the turns of a session: equal text the same one, other text never one that is taken", () => {
    fc.assert(
      fc.property(cases, cases, ([first, drafts], [second, more]) => {
        const vault: VaultEntry[] = [];
        const turn = (pieces: readonly string[], list: typeof drafts) => {
          const kept = [...vault];
          const spans = list.map((draft) => spanOf(pieces, { ...draft, style: "placeholder" }));
          return redact(pieces, spans, fingerprints, { kept, add: (entry) => vault.push(entry) });
        };
        turn(first, drafts);
        turn(second, more);
        const originals = Map.groupBy(vault, ({ placeholder }) => placeholder);
        for (const entries of originals.values()) expect(new Set(entries.map(({ original }) => original)).size).toBe(1);
      }),
      runs,
    );
  });

  it("is the same for the same text and key, in every style and order of the spans", () => {
    fc.assert(
      fc.property(cases, ([pieces, drafts]) => {
        const spans = drafts.map((draft) => spanOf(pieces, draft));
        const [there, back] = [redact(pieces, spans, fingerprints), redact(pieces, [...spans].reverse(), fingerprints)];
        const shapes = (rewritten: ReadonlyMap<number, string>) =>
          [...rewritten].map(([piece, text]) => [piece, text.length === 0]);
        expect(shapes(back)).toEqual(shapes(there));
        expect(redact(pieces, spans, fingerprints)).toEqual(there);
      }),
      runs,
    );
  });
});
