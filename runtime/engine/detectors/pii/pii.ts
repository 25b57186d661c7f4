// The detector "pii" finds personal data that has a form of its own and usually check digits.

import type { JsonObject } from "@bufbuild/protobuf";
import { reads } from "../../text/normalize.ts";
import type { Detection } from "../detector.ts";
import { type Detector, type Sweep, type Trigger, withoutInner } from "../detector-plan.ts";
import { openRun, withEdge } from "../edge.ts";
import { textsParameter } from "../parameter.ts";
import { edgedSweep } from "../sweep.ts";
import { findIps, ipCategory, urlCategory, urlTriggers } from "./address.ts";
import { findBirthdays } from "./birthday.ts";
import { cardCategory, findCards } from "./card.ts";
import { findBics, findCoordinates, findLicences, findMacs, findPassports, findVins } from "./code.ts";
import { cryptoCategory, findCryptoAddresses } from "./crypto-address.ts";
import { emailCategory, emailTriggers } from "./email.ts";
import { findIbans, ibanCategory, openIban } from "./iban.ts";
import { identitySweep, minDigitsOf } from "./identity.ts";
import { identities } from "./identity-formats.ts";
import { numberSweep } from "./number-edge.ts";
import { phoneCategory, phoneSweep, usualRegions } from "./phone.ts";
import { codeSweep } from "./token-edge.ts";

interface Entity {
  readonly category: string;
  readonly triggers: readonly Trigger[];
  readonly sweeps: readonly Sweep[];
}

const ibanSweep = edgedSweep(findIbans, { open: openIban, hint: /\d{2}/, hintReach: 4 });
const identityEntities = [...new Set(identities.map(({ entity }) => entity))];

/** Maximum length of a web address; none contains white space. */
const maxAddressLength = 2_200;

/**
 * Places, dates and licences are matched across words, each from the end of the previous match, so they are known only
 * at the end of a text.
 */
const entities: ReadonlyMap<string, Entity> = new Map([
  ["EMAIL", { category: emailCategory, triggers: emailTriggers, sweeps: [] }],
  ["PHONE", { category: phoneCategory, triggers: [], sweeps: [] }],
  ["CREDIT_CARD", { category: cardCategory, triggers: [], sweeps: [numberSweep(findCards, "card")] }],
  ["IBAN", { category: ibanCategory, triggers: [], sweeps: [ibanSweep] }],
  ["BIC", { category: "pii.bic", triggers: [], sweeps: [codeSweep(findBics, "bic")] }],
  ["IP", { category: ipCategory, triggers: [], sweeps: [codeSweep(findIps, "ip")] }],
  ["MAC", { category: "pii.mac", triggers: [], sweeps: [codeSweep(findMacs, "mac")] }],
  ["URL", { category: urlCategory, triggers: withEdge(urlTriggers, openRun(maxAddressLength)), sweeps: [] }],
  ["CRYPTO", { category: cryptoCategory, triggers: [], sweeps: [codeSweep(findCryptoAddresses, "crypto")] }],
  ["COORDINATES", { category: "pii.coordinates", triggers: [], sweeps: [findCoordinates] }],
  ["VIN", { category: "pii.vin", triggers: [], sweeps: [codeSweep(findVins, "vin")] }],
  ["PASSPORT", { category: "pii.passport", triggers: [], sweeps: [codeSweep(findPassports, "passport")] }],
  ["DRIVING_LICENCE", { category: "pii.driving_licence", triggers: [], sweeps: [findLicences] }],
  ["DATE_OF_BIRTH", { category: "pii.date_of_birth", triggers: [], sweeps: [findBirthdays] }],
  ...identityEntities.map((name): [string, Entity] => [
    name,
    { category: `pii.${name.toLowerCase()}`, triggers: [], sweeps: [] },
  ]),
]);

/**
 * Web and IP addresses are personal data only in some settings, and identity numbers only in some countries, so
 * policies must ask for them.
 */
const usual = ["EMAIL", "PHONE", "CREDIT_CARD", "IBAN", "SSN"];

/** The detector "pii". */
export const pii: Detector = {
  definition: {
    id: "pii",
    displayName: "Personal data",
    description:
      "Finds e-mail addresses, phone numbers, payment cards, bank accounts and numbers that states give to people by their form, check digits and the words around them. Names and postal addresses need a detector backend.",
    version: "1.0.0",
    category: "privacy",
    tags: ["pii", "privacy", "gdpr", "pci"],
    categories: [...entities.values()].map((entity) => entity.category),
    entities: [...entities.keys()],
    languages: ["*"],
    costClass: "linear",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 0.3,
    sensitivities: { strict: 0.3, balanced: 0.5, permissive: 0.8 },
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
        phone_regions: {
          type: "array",
          description: `Regions (ISO 3166) whose phone numbers are recognised without a country code, and no others. When it is absent: ${usualRegions.join(", ")}, and the regions of the language around a number.`,
          maxItems: 40,
          uniqueItems: true,
          items: { type: "string", pattern: "^[A-Z]{2}$" },
        },
      },
    },
    references: [
      ...new Set([
        "https://www.rfc-editor.org/rfc/rfc5321",
        "https://github.com/google/libphonenumber",
        ...identities.map(({ reference }) => reference),
      ]),
    ],
    measures: [
      {
        name: "precision of e-mail, card, IBAN, SSN, IP and URL",
        value: 0.998,
        data: "501 found in made-up sentences, measured before anything was tuned on them",
      },
      {
        name: "recall of e-mail, card, IBAN, SSN, IP and URL",
        value: 1,
        data: "500 in made-up sentences, measured before anything was tuned on them",
      },
      {
        name: "precision of phone",
        value: 1,
        data: "837 found in made-up sentences of 33 languages that nothing was tuned on",
      },
      {
        name: "recall of phone",
        value: 0.969,
        data: "864 numbers of 53 countries in made-up sentences of 33 languages that nothing was tuned on",
      },
      { name: "ordinary texts with a phone number that is none", value: 0.0003, data: "3,810 ordinary texts" },
    ],
    examples: [
      { text: "Write to ann@example.com or call +44 20 7946 0958.", categories: ["pii.email", "pii.phone"] },
      {
        text: "Pay 4111 1111 1111 1111 from DE89 3704 0044 0532 0130 00.",
        categories: ["pii.credit_card", "pii.iban"],
      },
      { text: "Version 10.2.1 of 2024-05-17 fixed issue 1234567890.", categories: [] },
    ],
    check: () => [],
  },
  plan: (parameters) => {
    const names = entitiesOf(parameters);
    const chosen = names.map(entityOf);
    return {
      reads: reads.given | reads.normalAgain,
      phrases: [],
      patterns: [],
      triggers: chosen.flatMap((entity) => entity.triggers),
      sweeps: sweepsOf(names, parameters),
      settle: (detections) => withoutDoubtful(withoutInner(detections)),
    };
  },
};

/** The entities that a detector with these parameters looks for. */
export function entitiesOf(parameters: JsonObject): readonly string[] {
  return textsParameter(parameters, "entities") ?? usual;
}

function entityOf(name: string): Entity {
  const entity = entities.get(name);
  if (entity === undefined) throw new Error(`the detector "pii" has no entity "${name}"`);
  return entity;
}

function sweepsOf(names: readonly string[], parameters: JsonObject): Sweep[] {
  const formats = identities.filter(({ entity }) => names.includes(entity));
  return [
    ...names.flatMap((name) => entityOf(name).sweeps),
    ...(formats.length === 0 ? [] : [numberSweep(identitySweep(formats), "identity", minDigitsOf(formats))]),
    ...(names.includes("PHONE") ? [numberSweep(phoneSweep(textsParameter(parameters, "phone_regions")), "phone")] : []),
  ];
}

// Digits may have several readings: of overlapping ones, the one with the highest score stays, then the longest.
function withoutDoubtful(detections: readonly Detection[]): Detection[] {
  const addresses = detections.filter(({ category }) => wordy.has(category));
  const kept: Detection[] = [];
  for (const detection of detections.filter(({ category }) => !wordy.has(category)).sort((a, b) => a.start - b.start)) {
    const last = kept.at(-1);
    if (last === undefined || detection.start >= last.end) kept.push(detection);
    else if (isSurer(detection, last)) kept[kept.length - 1] = detection;
  }
  return [...addresses, ...kept];
}

function isSurer(one: Detection, other: Detection): boolean {
  return one.score > other.score || (one.score === other.score && one.end - one.start > other.end - other.start);
}

/** Categories of which one address within another is not a different reading. */
const wordy = new Set([emailCategory, urlCategory, ipCategory]);
