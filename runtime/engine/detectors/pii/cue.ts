// Values that words of language packs announce: the forms of values are those of the built-in entities, and count here
// only after such words.

import type { Sweep } from "../detector-plan.ts";
import { announced, collect } from "./announce.ts";
import { birthdaysAfter } from "./birthday.ts";
import { licencesAfter, passportsAfter } from "./code.ts";
import { identitySweep, minDigitsOf } from "./identity.ts";
import { identities } from "./identity-formats.ts";
import { numberSweep } from "./number-edge.ts";
import { phoneCategory } from "./phone.ts";
import { codeSweep } from "./token-edge.ts";

/** Words that announce an entity, as sources of patterns. */
export interface Cue {
  readonly entity: string;
  readonly words: string;
}

/** Entities whose values packs may announce. */
export const cueEntities: readonly string[] = [
  ...["PASSPORT", "DRIVING_LICENCE", "DATE_OF_BIRTH", "PHONE"],
  ...["NATIONAL_ID", "TAX_ID", "HEALTH_ID"],
];

const phoneShape = /(?<![\p{L}\p{N}_.,+-])\+?\(?\d(?:[ ()./-]{0,3}\d){6,14}(?![\p{L}\p{N}_]|[.,-]\d)/gu;
const dateShape = /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})/;

/** A sweep for values, and the entities that it looks for. */
export interface CueSweep {
  readonly entities: readonly string[];
  readonly sweep: Sweep;
}

/** The sweeps for values that the words announce. */
export function cueSweeps(cues: readonly Cue[]): CueSweep[] {
  const words = new Map(cues.map((cue) => [cue.entity, new RegExp(cue.words, "iu")]));
  const after = (entity: string, make: (found: RegExp) => Sweep): CueSweep[] => {
    const found = words.get(entity);
    return found === undefined ? [] : [{ entities: [entity], sweep: make(found) }];
  };
  const formats = identities.flatMap((format) => {
    const found = words.get(format.entity);
    return found === undefined ? [] : [{ ...format, words: found, onlyAnnounced: () => true }];
  });
  const numbers = (): CueSweep => ({
    entities: formats.map(({ entity }) => entity),
    sweep: numberSweep(identitySweep(formats), "identity", minDigitsOf(formats)),
  });
  return [
    ...after("PASSPORT", (found) => codeSweep((text) => passportsAfter(text, found), "passport")),
    ...after("DRIVING_LICENCE", (found) => (text: string) => licencesAfter(text, found)),
    ...after("DATE_OF_BIRTH", (found) => (text: string) => birthdaysAfter(text, found)),
    ...after("PHONE", (found) => numberSweep(phonesAfter(found), "phone")),
    ...(formats.length === 0 ? [] : [numbers()]),
  ];
}

// A number that stands right behind the words; further away it is as often something else.
function phonesAfter({ source }: RegExp): Sweep {
  const words = new RegExp(`(?:${source})[^\\d\\n]{0,12}$`, "iu");
  return (text) =>
    collect(text, phoneShape, (start, end, [number]) =>
      dateShape.test(number) ? undefined : announced(text, start, end, words, phoneCategory),
    );
}
