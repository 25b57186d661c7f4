// The part of the OpenAPI document that a runtime serves.

import { readFileSync } from "node:fs";
import { restrictDocument } from "../gateway/openapi/restrict.ts";
import { AdapterService } from "../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { EvaluationService } from "../gen/policyguard/runtime/v1/evaluation_service_pb.ts";

/** The document with the operations of a runtime only. */
export function readOpenApi(): string {
  const text = readFileSync(new URL("../gen/rest/openapi.json", import.meta.url), "utf8");
  return restrictDocument(text, [EvaluationService, AdapterService]);
}
