import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloudTokens } from "../../../../../runtime/engine/detectors/secrets/format/cloud.ts";
import { developerTokens } from "../../../../../runtime/engine/detectors/secrets/format/developer.ts";
import { messageTokens } from "../../../../../runtime/engine/detectors/secrets/format/message.ts";
import { modelTokens } from "../../../../../runtime/engine/detectors/secrets/format/model.ts";
import { namedFormats } from "../../../../../runtime/engine/detectors/secrets/format/named.ts";
import { paymentTokens } from "../../../../../runtime/engine/detectors/secrets/format/payment.ts";
import { sourceTokens } from "../../../../../runtime/engine/detectors/secrets/format/source.ts";
import { workTokens } from "../../../../../runtime/engine/detectors/secrets/format/work.ts";
import { isPlaceholder } from "../../../../../runtime/engine/detectors/secrets/placeholder.ts";
import type { TokenFormat } from "../../../../../runtime/engine/detectors/secrets/token.ts";
import { found, scan } from "../scan.ts";

const tokens: readonly TokenFormat[] = [
  ...[...cloudTokens, ...developerTokens, ...messageTokens, ...modelTokens, ...paymentTokens, ...sourceTokens],
  ...workTokens,
];
const samples = 8;

// What follows a token ends it; look-arounds are not what it is made of.
function made(pattern: string): fc.Arbitrary<string> {
  const own = pattern.replace(/\(\?[=!](?:[^()[\\]|\\.|\[(?:[^\]\\]|\\.)*\])*\)/g, "").replaceAll("\\b", "");
  return own === "" ? fc.constant("") : fc.stringMatching(new RegExp(`^(?:${own})$`));
}

/** Made-up tokens of a format that look random enough, and that its own judge takes. */
function tokensOf(format: TokenFormat): string[] {
  const { before = "", literal, after } = format;
  const arbitrary = fc
    .tuple(made(before), made(after))
    .map(([head, tail]) => head + literal + tail)
    .filter((token) => !isPlaceholder(token, format.entropy) && (format.judge?.(token).score ?? format.score) >= 0.5);
  return fc.sample(arbitrary, { numRuns: samples, seed: 6 });
}

describe("the table of formats", () => {
  it("has at least 150 of them, each with a reference", () => {
    const values = namedFormats.flatMap(({ value }) => value.split("|"));
    expect(tokens.length + values.length).toBeGreaterThanOrEqual(150);
    expect(tokens.length).toBeGreaterThan(140);
    for (const { reference } of [...tokens, ...namedFormats]) expect(reference).toMatch(/^(?:https:\/\/|docs\/)/);
  });

  const generated = tokens.filter(({ judge, literal }) => judge === undefined || !["gr_", "AP"].includes(literal));
  it.each(generated.map((format) => [`${format.name} ${format.literal}`, format] as const))(
    "%s: made-up tokens are found, and are not told",
    (_, format) => {
      for (const token of tokensOf(format)) {
        const text = `use ${token} now`;
        const detections = scan("secrets", text).filter(({ start, end }) => start < 4 + token.length && end > 4);
        expect(detections.map(({ category }) => category).length, token.length.toString()).toBeGreaterThan(0);
        const inside = token.slice(-12);
        expect(
          detections.some(({ attributes }) =>
            Object.values(attributes ?? {})
              .join(" ")
              .includes(inside),
          ),
        ).toBe(false);
      }
    },
  );

  it.each(namedFormats.map((format) => [format.name, format] as const))(
    "%s: made-up values are found behind the provider's name",
    (_, format) => {
      const arbitrary = made(format.value).filter(
        (value) =>
          !isPlaceholder(value, format.entropy) &&
          /\d/.test(value) &&
          /[a-zA-Z]/.test(value) &&
          /^[A-Za-z0-9].*[A-Za-z0-9]$/.test(value),
      );
      for (const value of fc.sample(arbitrary, { numRuns: samples, seed: 7 })) {
        const text = `${format.keywords[0]}_api_key = "${value}"`;
        expect(found("secrets", text).length).toBeGreaterThan(0);
      }
    },
  );
});
