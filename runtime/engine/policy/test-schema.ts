// Tests of policies as JSON Schema 2020-12.

import type { JsonObject } from "@bufbuild/protobuf";
import { outcomeNames, stageNames } from "./document.ts";
import { described, list, record, text, time } from "./schema-part.ts";

const role = { type: "string", enum: ["system", "developer", "user", "assistant", "tool"] };

const requestForms: JsonObject = {
  text,
  messages: list(record({ role, content: text }, ["role", "content"]), { min: 1, max: 200 }),
  segments: list(
    record(
      {
        id: { type: "string", minLength: 1, maxLength: 128 },
        role,
        origin: { type: "string", maxLength: 256 },
        trust: { type: "string", enum: ["trusted", "untrusted"] },
        text,
      },
      ["text"],
    ),
    { min: 1, max: 200 },
  ),
  tool_calls: list(
    record(
      {
        id: { type: "string", minLength: 1, maxLength: 256 },
        name: { type: "string", minLength: 1, maxLength: 256 },
        arguments: { type: "object", additionalProperties: true },
      },
      ["id", "name"],
    ),
    { min: 1, max: 50 },
  ),
};

const ruleIds = list({ type: "string", maxLength: 256 }, { max: 100 });

const expectation = record(
  {
    outcome: { type: "string", enum: [...outcomeNames] },
    would_be_outcome: { type: "string", enum: [...outcomeNames] },
    rules: ruleIds,
    not_rules: ruleIds,
    redacted: text,
    message: described("The message for the person.", { type: "string", maxLength: 2000 }),
    unjudged: described("Detectors and rules that could not be judged.", ruleIds),
    tool_calls: described("The outcome of each proposed call, by its id.", {
      type: "object",
      maxProperties: 50,
      additionalProperties: { type: "string", enum: [...outcomeNames] },
    }),
    released: described("All text that a stream releases.", text),
    released_must_not_contain: described("Text that a stream must never release.", text),
  },
  ["outcome"],
);

const stageName = { type: "string", enum: [...stageNames] };
const languageTag = "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$";

/** JSON Schema of one test. */
export const testSchema: JsonObject = record(
  {
    name: { type: "string", minLength: 1, maxLength: 256 },
    stage: stageName,
    ...requestForms,
    transcript: described("The messages are a whole conversation.", { type: "boolean" }),
    stream: described("The text as it arrives, chunk by chunk.", list(text, { min: 1, max: 1000 })),
    turns: described(
      "Requests of one session; `expect` is about the last one.",
      list({ oneOf: [text, record({ stage: stageName, ...requestForms, expect: expectation })] }, { min: 1, max: 100 }),
    ),
    languages: described("The same text in several languages.", {
      type: "object",
      minProperties: 1,
      maxProperties: 100,
      propertyNames: { pattern: languageTag },
      additionalProperties: text,
    }),
    agent: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
    env: { type: "string", pattern: "^[a-z0-9][a-z0-9-]{0,62}$" },
    language: { type: "string", pattern: languageTag },
    subject: record({
      user_id: { type: "string", maxLength: 256 },
      roles: list({ type: "string", maxLength: 128 }, { max: 64 }),
      attributes: { type: "object", additionalProperties: true },
    }),
    at: described("The time of the test, for exemptions and shadow modes that end: RFC 3339. Default: now.", time),
    lists: {
      description: "Items of the named lists.",
      type: "object",
      maxProperties: 100,
      additionalProperties: list({ type: "string", maxLength: 1024 }, { max: 10000 }),
    },
    expect: expectation,
  },
  ["name", "expect"],
);
