// The detector "secrets": credentials that have a recognisable form, or a name before them that tells.

import type { Detection } from "../../detector.ts";
import { reads } from "../../normalize.ts";
import { type Detector, type Trigger, withoutInner } from "../../plan.ts";
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
/** What anything more particular stands for as well. */
const vague = new Set(["secrets.generic", "secrets.password", "secrets.authorization"]);
/** No token but a private key is longer, and none has white space within. */
const longestToken = 12_000;
/** How far before a value its name may begin. */
const longestName = 160;
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
      // Joined here, so that no scanner takes a made-up key for a leaked one.
      { text: `my key is AKIA${"Q3EGRZ7X"}${"W2LMNP4T"}`, categories: ["secrets.aws_access_key_id"] },
      { text: `postgres://app:${"k3"}${"Vq9sTz"}@db.internal/app`, categories: ["secrets.connection_string"] },
      { text: "API_KEY=your_api_key_here", categories: [] },
    ],
    check: () => [],
  },
  plan: () => {
    const open = openRun(longestToken);
    triggers ??= [
      ...withEdge(tokenFormats.map(tokenTrigger), open),
      ...withEdge([...namedTriggers(namedFormats), ...genericTriggers, ...addressTriggers], open, longestName),
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

// One credential, one finding: the most particular name for it.
function withoutVague(detections: readonly Detection[]): Detection[] {
  const particular = detections.filter(({ category }) => !vague.has(category));
  return detections.filter(
    (detection) =>
      !vague.has(detection.category) ||
      !particular.some(({ start, end }) => start < detection.end && detection.start < end),
  );
}
