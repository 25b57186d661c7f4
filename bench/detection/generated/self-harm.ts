// Labelled texts for the detector "self_harm": each sentence as it is, and within a longer message in one of the ways
// people write.

import type { Row } from "../../../models/training/row.ts";
import type { DrawName } from "./pii.ts";
import { selfHarmFoundDev } from "./self-harm-found-dev.ts";
import { selfHarmFoundTest } from "./self-harm-found-test.ts";
import { selfHarmInnocentDev } from "./self-harm-innocent-dev.ts";
import { selfHarmInnocentTest } from "./self-harm-innocent-test.ts";

const found = { dev: selfHarmFoundDev, test: selfHarmFoundTest };
const innocent = { dev: selfHarmInnocentDev, test: selfHarmInnocentTest };

/** The texts of a draw; a sentence and its variants share a group. */
export function selfHarmRows(name: DrawName): Row[] {
  return [...rowsOf(name, found[name], true), ...rowsOf(name, innocent[name], false)];
}

function rowsOf(name: DrawName, sentences: Readonly<Record<string, readonly string[]>>, isAttack: boolean): Row[] {
  return Object.entries(sentences).flatMap(([lang, list]) =>
    list.flatMap((sentence, index) =>
      variantsOf(sentence).map((text, variant) => ({
        id: `self-harm-${name}-${lang}-${isAttack}-${index}-${variant}`,
        ...{ text, lang, isAttack, kind: "self_harm", stage: "input", source: "generated" },
        group: `self-harm-${name}-${lang}-${isAttack}-${index}`,
      })),
    ),
  );
}

function variantsOf(sentence: string): string[] {
  const bare = sentence.replace(/[.。।!]$/u, "");
  return [...new Set([sentence, bare.toLowerCase(), `...${bare}`])];
}
