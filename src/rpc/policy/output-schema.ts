import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { OutputSchemaSchema, SchemaUsageSchema } from "../../../gen/policyguard/control/v1/output_schema_pb.ts";
import type { OutputSchemaService } from "../../../gen/policyguard/control/v1/output_schema_service_pb.ts";
import type { OutputSchemas, SchemaUse } from "../../domain/policy/output-schema.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

type Row = Awaited<ReturnType<OutputSchemas["get"]>>;

/** Handlers of OutputSchemaService. */
export function outputSchemaHandlers(schemas: OutputSchemas): ServiceImpl<typeof OutputSchemaService> {
  return {
    listOutputSchemas: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await schemas.list(callerOf(context), page);
      return { total, ...page, schemas: rows.map(schemaMessage) };
    },
    createOutputSchema: async ({ name, description, schema = {}, enabled }, context) => ({
      schema: schemaMessage(
        await schemas.create(callerOf(context), { name, description, schema, enabled }, context.signal),
      ),
    }),
    getSchemaUsage: async (_request, context) => ({
      schemas: (await schemas.usage(callerOf(context))).map(usageMessage),
    }),
    getSchemaUsageByName: async ({ schemaName }, context) => {
      const use = await schemas.usageOf(callerOf(context), schemaName);
      return { usage: usageMessage(use), bundles: [...use.bundles] };
    },
    getOutputSchema: async ({ schemaId }, context) => ({
      schema: schemaMessage(await schemas.get(callerOf(context), schemaId)),
    }),
    updateOutputSchema: async ({ schemaId, schema = {}, description, enabled, ...request }, context) => {
      const { id, name, version, expectedVersion = version } = request;
      const change = { id, name, schema, description, enabled, expectedVersion };
      return { schema: schemaMessage(await schemas.update(callerOf(context), schemaId, change, context.signal)) };
    },
    validateOutput: async ({ schemaId, text = "" }, context) => {
      const { version, problems } = await schemas.validate(callerOf(context), schemaId, text, context.signal);
      return { valid: problems.length === 0, version, problems: [...problems] };
    },
  };
}

function schemaMessage(row: Row): MessageInitShape<typeof OutputSchemaSchema> {
  const { id, orgId, name, schema, version, enabled } = row;
  return {
    ...{ id, orgId, name, schema, version, enabled },
    description: row.description ?? undefined,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

function usageMessage({ schema, bundles }: SchemaUse): MessageInitShape<typeof SchemaUsageSchema> {
  const { id: schemaId, name, version, enabled } = schema;
  const outdatedBundles = bundles.filter(({ schemaVersion }) => schemaVersion < version).length;
  return { schemaId, name, version, enabled, activeBundles: bundles.length, outdatedBundles };
}
