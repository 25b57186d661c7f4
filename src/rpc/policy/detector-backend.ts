import { type DescEnum, getOption, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type DetectorBackendPreset,
  DetectorBackendPresetSchema,
  type DetectorBackendSchema,
  type DetectorBackendShape,
  DetectorBackendShapeSchema,
} from "../../../gen/policyguard/control/v1/detector_backend_pb.ts";
import type { DetectorBackendService } from "../../../gen/policyguard/control/v1/detector_backend_service_pb.ts";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { BackendInput, DetectorBackends } from "../../domain/policy/detector-backend.ts";
import { wireName } from "../../kit/protobuf/wire-name.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = Awaited<ReturnType<DetectorBackends["get"]>>;

/** Handlers of DetectorBackendService. */
export function detectorBackendHandlers(backends: DetectorBackends): ServiceImpl<typeof DetectorBackendService> {
  return {
    listDetectorBackends: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await backends.list(callerOf(context), page);
      return { total, ...page, detectorBackends: rows.map(backendMessage) };
    },
    getDetectorBackend: async ({ detectorKey }, context) => ({
      backend: backendMessage(await backends.get(callerOf(context), detectorKey)),
    }),
    putDetectorBackend: async ({ detectorKey: key, shape, preset, ...given }, context) => {
      const { url, timeoutMs, authHeader, digest, model } = given;
      const names = { shape: shapeName(shape), preset: presetName(preset) };
      const input = { key, url, ...names, timeoutMs, authHeader, digest, model };
      return { backend: backendMessage(await backends.put(callerOf(context), input)) };
    },
    deleteDetectorBackend: async ({ detectorKey }, context) => {
      await backends.delete(callerOf(context), detectorKey);
      return {};
    },
  };
}

function backendMessage(row: Row): MessageInitShape<typeof DetectorBackendSchema> {
  const { orgId, key, url, shape, timeoutMs, authHeader } = row;
  return {
    ...{ orgId, key, url, timeoutMs },
    shape: enumValue<DetectorBackendShape>(DetectorBackendShapeSchema, shape),
    authHeader: authHeader ?? undefined,
    digest: row.digest ?? undefined,
    preset: enumValue<DetectorBackendPreset>(DetectorBackendPresetSchema, row.preset),
    model: row.model ?? undefined,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

// Descriptors have the documented spelling as plain text; a test keeps the lists equal.
function shapeName(shape: DetectorBackendShape): BackendInput["shape"] {
  return wireName(DetectorBackendShapeSchema, shape) as BackendInput["shape"];
}

function presetName(preset: DetectorBackendPreset | undefined): string | undefined {
  return preset === undefined ? undefined : wireName(DetectorBackendPresetSchema, preset);
}

function enumValue<Value extends number>({ values }: DescEnum, name: string | null | undefined): Value | undefined {
  // Descriptors know their values as numbers only.
  return values.find((each) => getOption(each, wire) === name)?.number as Value | undefined;
}
