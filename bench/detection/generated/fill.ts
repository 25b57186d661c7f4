// Labelled texts from sentences with slots: `{NAME}` stands for one of the words of a list, or for what a function
// makes up.

import { hashOf, type Row } from "../../../models/training/row.ts";
import { type Draw, drawOf } from "./draw.ts";
import type { DrawName } from "./pii.ts";

/** What fills a slot. */
export type Slots = Readonly<Record<string, readonly string[] | ((draw: Draw) => string)>>;

/** Sentences of one kind. */
export interface Sentences {
  readonly kind: string;
  /** BCP 47 tag; absent where it does not matter. */
  readonly lang?: string;
  readonly of: readonly string[];
}

/**
 * What the texts of one draw are made of: sentences that a detector should find something in, and those that only look
 * like it.
 */
export interface Recipe {
  readonly found: readonly Sentences[];
  readonly innocent: readonly Sentences[];
  readonly slots: Slots;
}

/** How many texts are wanted of each sort; fewer come out when the sentences allow no more. */
export interface Wanted {
  readonly found: number;
  readonly innocent: number;
}

const mostRounds = 200;

/** The texts of a draw, no two the same. Texts of one sentence share a group. */
export function textsOf(id: string, name: DrawName, recipe: Recipe, wanted: Wanted): Row[] {
  const draw = drawOf(hashOf(`${id} ${name}`));
  const sorts = [
    { sort: "found", isAttack: true, sentences: recipe.found, most: wanted.found },
    { sort: "innocent", isAttack: false, sentences: recipe.innocent, most: wanted.innocent },
  ];
  return sorts.flatMap(({ sort, isAttack, sentences, most }) =>
    variedTexts(sentences, recipe.slots, draw, most).map(({ text, kind, lang, group }, index) => ({
      ...{ id: `${id}-${name}-${sort}-${index + 1}`, text, isAttack, kind, lang: lang ?? "" },
      ...{ stage: "input", source: "generated", group: `${id}-${name}-${sort}-${group}` },
    })),
  );
}

interface Varied {
  readonly text: string;
  readonly kind: string;
  readonly lang: string | undefined;
  readonly group: string;
}

// Round by round, so that each sentence has its share.
function variedTexts(sentences: readonly Sentences[], slots: Slots, draw: Draw, most: number): readonly Varied[] {
  const all = sentences.flatMap(({ kind, lang, of }) =>
    of.map((sentence, index) => ({ sentence, kind, lang, group: `${kind}-${lang ?? ""}-${index}` })),
  );
  const texts = new Map<string, Varied>();
  for (let round = 0; round < mostRounds; round++)
    for (const { sentence, ...about } of all) {
      const text = filled(sentence, slots, draw);
      if (texts.size < most && !texts.has(text)) texts.set(text, { text, ...about });
    }
  return [...texts.values()];
}

/** A sentence with its slots filled. Throws for a slot that nothing fills. */
export function filled(sentence: string, slots: Slots, draw: Draw): string {
  return sentence.replace(/\{([A-Z_]+)\}/g, (_, slot: string) => {
    const filling = slots[slot];
    if (filling === undefined) throw new Error(`nothing fills ${slot}`);
    return typeof filling === "function" ? filling(draw) : filled(draw.of(filling), slots, draw);
  });
}
