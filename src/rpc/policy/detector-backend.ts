import { getOption, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type DetectorBackendSchema,
  DetectorBackendShape,
  DetectorBackendShapeSchema,
} from "../../../gen/policyguard/control/v1/detector_backend_pb.ts";
import type { DetectorBackendService } from "../../../gen/policyguard/control/v1/detector_backend_service_pb.ts";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { BackendInput, DetectorBackends } from "../../domain/policy/detector-backend.ts";
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
    putDetectorBackend: async ({ detectorKey: key, url, shape, timeoutMs, authHeader, digest }, context) => {
      const input = { key, url, shape: shapeName(shape), timeoutMs, authHeader, digest };
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
    shape: shapeOf(shape),
    authHeader: authHeader ?? undefined,
    digest: row.digest ?? undefined,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

// Descriptors have the documented spelling as plain text; a test keeps the two lists equal.
function shapeName(shape: DetectorBackendShape): BackendInput["shape"] {
  const value = DetectorBackendShapeSchema.value[shape];
  return (value === undefined ? "" : getOption(value, wire)) as BackendInput["shape"];
}

function shapeOf(name: string): DetectorBackendShape {
  const known = DetectorBackendShapeSchema.values.find((each) => getOption(each, wire) === name);
  const numbers: readonly DetectorBackendShape[] = [1, 2, 3, 4, 5, 6];
  return numbers.find((number) => number === known?.number) ?? DetectorBackendShape.UNSPECIFIED;
}
