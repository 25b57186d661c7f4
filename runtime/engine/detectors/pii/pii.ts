// The detector "pii": personal data that has a form of its own and, mostly, check digits.

import type { JsonObject } from "@bufbuild/protobuf";
import { reads } from "../../normalize.ts";
import { type Detector, type Sweep, type Trigger, withoutInner } from "../../plan.ts";
import { textsParameter } from "../parameter.ts";
import { findIps, ipCategory, urlCategory, urlTriggers } from "./address.ts";
import { cardCategory, findCards } from "./card.ts";
import { emailCategory, emailTrigger } from "./email.ts";
import { findIbans, ibanCategory } from "./iban.ts";

interface Entity {
  readonly category: string;
  readonly triggers: readonly Trigger[];
  readonly sweeps: readonly Sweep[];
}

const entities: ReadonlyMap<string, Entity> = new Map([
  ["EMAIL", { category: emailCategory, triggers: [emailTrigger], sweeps: [] }],
  ["CREDIT_CARD", { category: cardCategory, triggers: [], sweeps: [findCards] }],
  ["IBAN", { category: ibanCategory, triggers: [], sweeps: [findIbans] }],
  ["IP", { category: ipCategory, triggers: [], sweeps: [findIps] }],
  ["URL", { category: urlCategory, triggers: urlTriggers, sweeps: [] }],
]);

/** Web addresses and IP addresses are personal data in some settings only, so they have to be asked for. */
const usual = ["EMAIL", "CREDIT_CARD", "IBAN"];

/** The detector "pii". */
export const pii: Detector = {
  definition: {
    id: "pii",
    displayName: "Personal data",
    description:
      "Finds e-mail addresses, payment cards and IBANs by their form and check digits; IP and web addresses when asked for.",
    version: "1.0.0",
    category: "privacy",
    tags: ["pii", "privacy", "gdpr", "pci"],
    categories: [...entities.values()].map((entity) => entity.category),
    entities: [...entities.keys()],
    languages: ["*"],
    costClass: "linear",
    scope: "local",
    defaultThreshold: 0.5,
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        entities: {
          type: "array",
          description: "What to look for.",
          minItems: 1,
          uniqueItems: true,
          items: { enum: [...entities.keys()] },
          default: usual,
        },
      },
    },
    check: () => [],
  },
  plan: (parameters) => {
    const chosen = chosenEntities(parameters);
    return {
      reads: reads.given | reads.normalAgain,
      phrases: [],
      patterns: [],
      triggers: chosen.flatMap((entity) => entity.triggers),
      sweeps: chosen.flatMap((entity) => entity.sweeps),
      settle: withoutInner,
    };
  },
};

function chosenEntities(parameters: JsonObject): Entity[] {
  return (textsParameter(parameters, "entities") ?? usual).map((name) => {
    const entity = entities.get(name);
    if (entity === undefined) throw new Error(`the detector "pii" has no entity "${name}"`);
    return entity;
  });
}
