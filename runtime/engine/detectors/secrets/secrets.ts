// The detector "secrets" finds credentials with a recognisable form, or with a characteristic name before them.

import { reads } from "../../text/normalize.ts";
import type { Detection } from "../detector.ts";
import { type Detector, type Trigger, withoutInner } from "../detector-plan.ts";
import { openRun, withEdge } from "../edge.ts";
import { addressTriggers } from "./address.ts";
import { cloudTokens } from "./format/cloud.ts";
import { developerTokens } from "./format/developer.ts";
import { messageTokens } from "./format/message.ts";
import { modelTokens } from "./format/model.ts";
import { namedFormats } from "./format/named.ts";
import { paymentTokens } from "./format/payment.ts";
import { sourceTokens } from "./format/source.ts";
import { workTokens } from "./format/work.ts";
import { genericTriggers } from "./generic.ts";
import { jwtTrigger } from "./jwt.ts";
import { namedTriggers } from "./named.ts";
import { privateKeyTrigger } from "./private-key.ts";
import { tokenTrigger } from "./token.ts";

const tokenFormats = [
  ...cloudTokens,
  ...developerTokens,
  ...messageTokens,
  ...modelTokens,
  ...paymentTokens,
  ...sourceTokens,
  ...workTokens,
];
const unnamed = ["authorization", "basic_auth", "connection_string", "generic", "jwt", "password", "private_key"];
const names = [...new Set([...tokenFormats, ...namedFormats].map(({ name }) => name)), ...unnamed].sort();
/** Categories that give way to any more specific one. */
const vague = new Set(["secrets.generic", "secrets.password", "secrets.authorization"]);
/** Maximum length of a token other than a private key; none contains white space. */
const maxTokenLength = 12_000;
/** Maximum distance from a value back to its name. */
const maxNameLength = 160;
let triggers: readonly Trigger[] | undefined;

/** The detector "secrets". */
export const secrets: Detector = {
  definition: {
    id: "secrets",
    displayName: "Secrets",
    description:
      "Finds credentials by their published forms, check digits and names: cloud and API keys, tokens, private keys, passwords in addresses and configuration. Documented examples are no findings.",
    version: "1.0.0",
    category: "security",
    tags: ["secrets", "credentials", "api-keys"],
    categories: names.map((name) => `secrets.${name}`),
    entities: [],
    languages: ["*"],
    costClass: "constant",
    scope: "local",
    defaultThreshold: 0.5,
    floor: 0,
    sensitivities: { strict: 0.4, balanced: 0.5, permissive: 0.85 },
    parameters: { type: "object", additionalProperties: false, properties: {} },
    references: [...new Set([...tokenFormats, ...namedFormats].map(({ reference }) => reference))].filter((reference) =>
      reference.startsWith("https:"),
    ),
    measures: [
      {
        name: "recall on a hold-out",
        value: 0.978,
        data: "450 credentials of 75 kinds, made up apart from the detector and measured before anything was tuned on them; 400 look-alikes, none found",
      },
      {
        name: "recall",
        value: 0.942,
        data: "1,511 credentials made from the rules of gitleaks or taken from its tests (training part)",
      },
      {
        name: "false positive rate",
        value: 0.0021,
        data: "2,337 hashes, identifiers, placeholders and pieces of code (training part)",
      },
    ],
    examples: [
      // Joined at run time, so that no scanner takes an invented key for a leaked one.
      { text: `my key is AKIA${"Q3EGRZ7X"}${"W2LMNP4T"}`, categories: ["secrets.aws_access_key_id"] },
      { text: `postgres://app:${"k3"}${"Vq9sTz"}@db.internal/app`, categories: ["secrets.connection_string"] },
      { text: "API_KEY=your_api_key_here", categories: [] },
    ],
    check: () => [],
  },
  plan: () => {
    const open = openRun(maxTokenLength);
    triggers ??= [
      ...withEdge(tokenFormats.map(tokenTrigger), open),
      ...withEdge([...namedTriggers(namedFormats), ...genericTriggers, ...addressTriggers], open, maxNameLength),
      { ...jwtTrigger, open },
      privateKeyTrigger,
    ];
    return {
      reads: reads.given | reads.normalAgain,
      phrases: [],
      patterns: [],
      triggers,
      sweeps: [],
      settle: (detections) => withoutVague(withoutInner(detections)),
    };
  },
};

// One finding per credential: the one with the most specific category.
function withoutVague(detections: readonly Detection[]): Detection[] {
  const particular = detections.filter(({ category }) => !vague.has(category));
  return detections.filter(
    (detection) =>
      !vague.has(detection.category) ||
      !particular.some(({ start, end }) => start < detection.end && detection.start < end),
  );
}
