// Runs every vector of streams on the engine alone and on a live runtime over NDJSON, server-sent events, gRPC, Connect and single calls,
// in several chunkings. Whatever the form and the chunks: what goes on is what the unary call lets through, and the verdict is its answer.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messagePrinter } from "../gateway/json-print.ts";
import { EvaluateRequestSchema, EvaluateResponseSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { StreamOpeningSchema, ToolCallPartSchema } from "../gen/policyguard/policy/v1/stream_pb.ts";
import {
  type EvaluateStreamRequest,
  EvaluateStreamRequestSchema,
  EvaluationService,
} from "../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { EvaluateVectorSchema } from "../gen/policyguard/testing/v1/evaluate_vector_pb.ts";
import { bundleOf, type EvaluateStage, startEvaluateStage } from "./harness/evaluate-stage.ts";
