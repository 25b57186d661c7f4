// The policy document as JSON Schema 2020-12. Editors use it for completion, and `json-schema.ts` validates with it.

import type { JsonObject } from "@bufbuild/protobuf";
import { outcomeNames, severityNames, stageNames } from "./document.ts";
import { described, list, record, time } from "./schema-part.ts";
import { testSchema } from "./test-schema.ts";

/** The name of a detector, rule, list or exemption. */
const namePattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$";
const modes = { type: "string", enum: ["enforce", "shadow", "off"] };
const failModes = { type: "string", enum: ["fail_open", "fail_closed"] };
const threshold = { type: "number", minimum: 0, maximum: 1 };
const budget = { type: "integer", minimum: 1, maximum: 30000 };
const name = { type: "string", pattern: namePattern };
const condition = { type: "string", contentMediaType: "text/x-cel", minLength: 1, maxLength: 4096 };

const backendKey = { type: "string", pattern: "^[a-z0-9][a-z0-9._-]{0,63}$" };
const backend: JsonObject = {
  oneOf: [
    backendKey,
    record(
      {
        key: backendKey,
        categories: described("Categories of findings by the backend's labels. Other labels are not findings.", {
          type: "object",
          minProperties: 1,
          maxProperties: 200,
          propertyNames: { minLength: 1, maxLength: 128 },
          additionalProperties: {
            type: "string",
            pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*$",
            maxLength: 64,
          },
        }),
        ask: described(
          "When it is asked; every condition must hold. Absent: always. Where it is not asked, the detector itself has judged.",
          record({
            between: described(
              "Two thresholds: it is asked where the highest score of the detector itself is in this range, both ends included. A text in which it finds nothing has 0.",
              { type: "array", items: threshold, minItems: 2, maxItems: 2 },
            ),
            stages: described(
              "It is asked about texts of these stages.",
              list({ type: "string", enum: [...stageNames] }, { min: 1, max: stageNames.length, unique: true }),
            ),
            origins: described(
              "Globs: it is asked about texts of these origins, such as `tool:*`.",
              list({ type: "string", minLength: 1, maxLength: 128 }, { min: 1, max: 50, unique: true }),
            ),
          }),
        ),
      },
      ["key"],
    ),
  ],
};

const controls = described(
  "Controls of a framework that are implemented, such as OWASP-LLM01.",
  list({ type: "string", minLength: 1, maxLength: 128 }, { max: 100, unique: true }),
);

const metadata = record(
  {
    name: described("Unique in the organization.", { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$" }),
    description: { type: "string", maxLength: 2000 },
    controls,
  },
  ["name"],
);

const match = record({
  agents: described(
    "Globs over agent keys. Absent: every agent.",
    list({ type: "string", pattern: "^[A-Za-z0-9._*?-]{1,128}$" }, { min: 1, max: 100 }),
  ),
  envs: described(
    "Names of environments. Absent: every environment.",
    list({ type: "string", pattern: "^[a-z0-9][a-z0-9-]{0,62}$" }, { min: 1, max: 100 }),
  ),
});

const shadow: JsonObject = {
  description: "Ends the shadow mode by itself.",
  ...record(
    {
      until: described("RFC 3339.", time),
      becomes: described("Mode of the rule from then on. Default: enforce.", {
        type: "string",
        enum: ["enforce", "off"],
      }),
    },
    ["until"],
  ),
};

const rollout = record(
  {
    percent: { type: "number", minimum: 0, maximum: 100 },
    by: { type: "string", enum: ["session_id", "user_id", "agent_id", "evaluation_id"] },
  },
  ["percent"],
);

const packReference = {
  description: "A guard pack with its version, such as pack:pii-eu@2, pack:pii-eu@2.1 or pack:pii-eu@2.1.0.",
  type: "string",
  pattern: "^pack:[a-z][a-z0-9-]{0,63}@\\d{1,6}(\\.\\d{1,6}){0,2}$",
};

const extended: JsonObject = list(
  {
    oneOf: [
      packReference,
      record(
        {
          pack: packReference,
          parameters: { type: "object", additionalProperties: true },
          mode: described("Mode of all its rules; locked ones do not become weaker.", modes),
          shadow,
          rollout: described("Roll-out of all its rules that have none, except locked ones.", rollout),
        },
        ["pack"],
      ),
    ],
  },
  { max: 16 },
);

const defaults = record({
  mode: modes,
  shadow,
  on_error: failModes,
  timeout_ms: described("Time budget of an evaluation, in milliseconds.", budget),
  record: described("How much of the text may be reported.", {
    type: "string",
    enum: ["none", "redacted", "full"],
  }),
  unsupported_language: described(
    "What becomes of a text in a language that a detector does not know: it is ignored, or the detector is unjudged.",
    { type: "string", enum: ["ignore", "unjudged"] },
  ),
});

const lists: JsonObject = {
  type: "object",
  maxProperties: 100,
  propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$" },
  additionalProperties: {
    oneOf: [
      list({ type: "string", maxLength: 1024 }, { max: 10000 }),
      record(
        {
          named: described("The list is stored separately, under this name.", { type: "boolean", const: true }),
          default: described(
            "Its items while no list has this name.",
            list({ type: "string", maxLength: 1024 }, { max: 10000 }),
          ),
        },
        ["named"],
      ),
    ],
  },
};

const detectors: JsonObject = {
  type: "object",
  maxProperties: 200,
  propertyNames: { pattern: namePattern },
  additionalProperties: {
    type: "object",
    properties: {
      use: described("Id of a detector of the catalog. Further keys are its parameters.", { type: "string" }),
      threshold,
      on_error: failModes,
      timeout_ms: described(
        "Time budget of the detector, in milliseconds since the evaluation began. What it has not judged by then is unjudged, and `on_error` decides.",
        budget,
      ),
      backend: described(
        "A detector backend to ask as well: its key, or its key and the categories of its labels.",
        backend,
      ),
    },
    required: ["use"],
    additionalProperties: true,
  },
};

const detectTermForms: JsonObject[] = [
  { type: "string", minLength: 1, maxLength: 128 },
  record(
    {
      ref: { type: "string", minLength: 1, maxLength: 128 },
      entities: list({ type: "string", minLength: 1, maxLength: 128 }, { min: 1, max: 200 }),
      categories: list({ type: "string", minLength: 1, maxLength: 128 }, { min: 1, max: 200 }),
      threshold,
    },
    ["ref"],
  ),
];

const detectTerm: JsonObject = { oneOf: detectTermForms };

const detectTerms = list({ $ref: "#/$defs/detectTerm" }, { min: 1, max: 50 });

const detect: JsonObject = {
  oneOf: [
    ...detectTermForms,
    record({ any: detectTerms }, ["any"]),
    record({ all: detectTerms }, ["all"]),
    record(
      {
        quorum: record({ of: detectTerms, at_least: { type: "integer", minimum: 1, maximum: 50 } }, ["of", "at_least"]),
      },
      ["quorum"],
    ),
  ],
};

const rule = record(
  {
    id: described("Unique in the policy.", name),
    description: { type: "string", maxLength: 2000 },
    stages: list({ type: "string", enum: [...stageNames] }, { min: 1, max: stageNames.length, unique: true }),
    detect,
    when: described("CEL. The rule matches only if it is true.", condition),
    unless: described("CEL. The rule does not match if it is true.", condition),
    action: { type: "string", enum: [...outcomeNames] },
    severity: { type: "string", enum: [...severityNames] },
    category: { type: "string", minLength: 1, maxLength: 128 },
    message: described("The message for the person: one text, or one for each language.", {
      oneOf: [
        { type: "string", minLength: 1, maxLength: 2000 },
        {
          type: "object",
          minProperties: 1,
          maxProperties: 100,
          propertyNames: { pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" },
          additionalProperties: { type: "string", minLength: 1, maxLength: 2000 },
        },
      ],
    }),
    controls,
    mode: modes,
    shadow,
    rollout,
    redact: record({
      style: { type: "string", enum: ["placeholder", "mask", "hash", "remove", "partial"] },
      reversible: described("Whether originals can be put back, within the session.", { type: "boolean" }),
      ttl: described("How long they can be put back, such as 30m. Default: as long as the session.", {
        type: "string",
        pattern: "^[1-9][0-9]{0,4}(s|m|h)$",
      }),
    }),
    on_error: failModes,
    locked: described("In a guard pack: no policy that extends it can weaken the rule.", { type: "boolean" }),
  },
  ["id", "stages", "action"],
);

const exemption = record(
  {
    id: name,
    when: condition,
    rules: described("Globs over rule ids of this policy and, as <pack>/<rule>, of the packs that it extends.", {
      type: "array",
      items: { type: "string", pattern: "^[A-Za-z0-9_.*?/-]{1,256}$" },
      minItems: 1,
      maxItems: 100,
    }),
    expires: described("RFC 3339. Absent: never.", time),
    reason: { type: "string", minLength: 1, maxLength: 2000 },
  },
  ["id", "when", "rules", "reason"],
);

/** JSON Schema (2020-12) of a policy document. */
export const policySchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Policy Guard policy",
  ...record(
    {
      apiVersion: { type: "string", const: "policyguard/v1" },
      kind: { type: "string", const: "Policy" },
      metadata,
      extends: extended,
      match,
      defaults,
      lists,
      detectors,
      rules: list(rule, { min: 1, max: 500 }),
      exemptions: list(exemption, { max: 100 }),
      tests: list(testSchema, { max: 500 }),
    },
    ["apiVersion", "kind", "metadata", "rules"],
  ),
  $defs: { detectTerm },
};
