// Texts of the corpus by their language, of groups that nothing was trained on: half of the groups for "dev", the other
// half for "test".

import { hashOf, isHeldOut, type Row, readCorpus } from "../../../models/training/row.ts";
import type { DrawName } from "./pii.ts";

/** Languages that the detector is told to allow. Texts in any other are what it has to find. */
export const allowedLanguages = ["en", "de", "fr", "es"];

const most = { allowed: 100, other: 12 };

/** Texts of a draw, with another language than the allowed ones as what is found, of that language as its kind. */
export function generatedLanguages(name: DrawName): Row[] {
  const rows = readCorpus().filter((row) => isHeldOut(row) && row.lang !== "" && drawOfGroup(row) === name);
  return [...Map.groupBy(rows, ({ lang }) => lang)].flatMap(([lang, those]) => {
    const isAllowed = allowedLanguages.includes(lang);
    return spread(those, isAllowed ? most.allowed : most.other).map((row) => ({
      ...row,
      isAttack: !isAllowed,
      kind: lang,
    }));
  });
}

/** Which draw a group that is held out belongs to. */
export function drawOfGroup({ group }: Row): DrawName {
  return Math.floor(hashOf(group) / 100) % 2 === 0 ? "dev" : "test";
}

// As many as wanted, from all over the list.
function spread<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, list.length / count);
  return list.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)).slice(0, count);
}
