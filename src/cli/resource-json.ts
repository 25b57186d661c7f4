// Resources of a server for programs, in the spelling of the REST API.

import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Bundle } from "../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleState } from "../../gen/policyguard/control/v1/bundle_pb.ts";
import type { Policy, PolicySummary } from "../../gen/policyguard/control/v1/policy_pb.ts";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";
import { wholeSeconds } from "../kit/process/clock.ts";

/** A message as the API has it: documented spellings of closed sets, and null for what is unset. */
export function resourceJson<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): JsonObject {
  const json = toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true });
  return spelt(schema, json as JsonObject); // a message that is no well-known type
}

function spelt({ fields }: DescMessage, json: JsonObject): JsonObject {
  return Object.fromEntries(fields.map((field) => [field.name, spelledValue(field, json[field.name])]));
}

function spelledValue(field: DescField, value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === null) return null;
  const { enum: names, message } = field;
  const one = (each: JsonValue): JsonValue => {
    if (names !== undefined) return spellingOf(names, each);
    // Well-known types have a form of their own, which is the API's too.
    return message === undefined || message.typeName.startsWith("google.") ? each : spelt(message, each as JsonObject);
  };
  if (field.fieldKind === "list") return (value as JsonValue[]).map(one);
  if (field.fieldKind !== "map") return one(value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, one(each)]));
}

function spellingOf({ values }: DescEnum, name: JsonValue): JsonValue {
  const value = values.find((each) => each.name === name);
  return value === undefined || value.number === 0 ? null : getOption(value, wire);
}

/** A policy without its document. */
export function policyJson(policy: Policy | PolicySummary): JsonObject {
  const { id, name, version, scope, createdAt, updatedAt } = policy;
  return {
    id,
    name,
    version,
    scope: { app_id: scope?.appId ?? "*", agent_id: scope?.agentId ?? "*", env: scope?.env ?? "*" },
    created_at: timeText(createdAt),
    updated_at: timeText(updatedAt),
  };
}

const states: ReadonlyMap<BundleState, string> = new Map([
  [BundleState.PUBLISHED, "published"],
  [BundleState.ACTIVE, "active"],
  [BundleState.SUPERSEDED, "superseded"],
]);

/** A bundle's facts. */
export function bundleJson(bundle: Bundle): JsonObject {
  return {
    id: bundle.id,
    project_id: bundle.projectId,
    environment: bundle.environment,
    version: bundle.version,
    state: bundleState(bundle),
    digest: bundle.digest,
    content_digest: bundle.contentDigest,
    policies: bundle.policies.map(({ policyId, name, version }) => ({ policy_id: policyId, name, version })),
    tests: { passed: bundle.tests?.passed ?? 0, failed: bundle.tests?.failed ?? 0 },
    created_at: timeText(bundle.createdAt),
    activated_at: timeText(bundle.activatedAt),
    activation_seq: bundle.activationSeq ?? null,
  };
}

/** "published", "active" or "superseded". */
function bundleState({ state }: Bundle): string {
  return states.get(state) ?? "unknown";
}

/** A time as RFC 3339 with whole seconds; null for none. */
export function timeText(time: Timestamp | undefined): string | null {
  return time === undefined ? null : wholeSeconds(timestampDate(time));
}
