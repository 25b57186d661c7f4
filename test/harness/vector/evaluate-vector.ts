// The vectors of evaluations, and their requests as the ways to call want them.

import { join } from "node:path";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { messageDecoder } from "../../../gateway/json/decode.ts";
import { Problems } from "../../../gateway/json/problems.ts";
import { type EvaluateRequest, EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { type EvaluateVector, EvaluateVectorSchema } from "../../../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { isSampled } from "../../../scripts/assurance/sample.ts";
import { expanded } from "./placeholder.ts";
import { type NamedVector, readVectorsOf } from "./vector.ts";

/** All of them, by name. */
export const evaluateVectors: readonly NamedVector<EvaluateVector>[] = readVectorsOf(
  EvaluateVectorSchema,
  join(import.meta.dirname, "..", "..", "vectors", "evaluate"),
);

/**
 * Those that the suite also tries by the fast paths, against the ordinary one; `npm run assurance -- fast-paths` takes
 * all.
 */
export const sampledVectors = evaluateVectors.filter(({ name }) => isSampled(name, 0.2));

/** One whose bundle redacts, for tests whose requests are not about the policies. */
export const redactingVector: EvaluateVector = vectorNamed("outcome/redact_styles");

function vectorNamed(wanted: string): EvaluateVector {
  const found = evaluateVectors.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`there is no vector ${wanted}`);
  return found.vector;
}

/** A request in its JSON form, its placeholders filled. */
export function requestJsonOf({ request }: Pick<EvaluateVector, "request">): JsonObject {
  return expanded((request ?? {}) as JsonObject); // a vector's request is a JSON object
}

/** A request as a message; undefined for one that cannot be written as one. */
export function requestMessageOf(
  vector: Pick<EvaluateVector, "request"> & Partial<Pick<EvaluateVector, "rawBody">>,
): EvaluateRequest | undefined {
  if (vector.rawBody !== undefined) return undefined;
  const message = create(EvaluateRequestSchema);
  const problems = new Problems();
  messageDecoder(EvaluateRequestSchema).into(message, requestJsonOf(vector), "", problems);
  return problems.fault() === undefined ? message : undefined;
}
