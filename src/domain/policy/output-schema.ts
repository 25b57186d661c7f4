// Output schemas: structured outputs of models are checked against them, here by the people who write them and in
// runtimes by requests that name them. They take effect with the next bundle.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import type { OutputProblem, SchemaSource } from "../../../runtime/engine/schema/output-schema.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { violatedUnique } from "../../store/connection/driver-error.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  allOutputSchemas,
  type BundledSchema,
  bundledSchemas,
  countOutputSchemas,
  findOutputSchema,
  findOutputSchemaByName,
  listOutputSchemas,
  lockOutputSchema,
  OutputSchemaRow,
} from "../../store/policy/output-schema.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { SchemaPart } from "../analysis/stored-part.ts";
import { isUnchanged } from "../unchanged.ts";

/** The input for a new schema. */
export interface SchemaInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: JsonObject;
  readonly enabled?: boolean | undefined;
}

/** The input for a change of a schema. */
export interface SchemaChange {
  /** The schema's own id and name, when the caller sends them back as they were read. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly schema: JsonObject;
  /** Unset to keep it. */
  readonly description?: string | undefined;
  /** Unset to keep it. */
  readonly enabled?: boolean | undefined;
  readonly expectedVersion?: number | undefined;
}

/** Where a schema is in use. */
export interface SchemaUse {
  readonly schema: OutputSchemaRow;
  readonly bundles: readonly UsedIn[];
}

/** An active bundle that carries a schema. */
export interface UsedIn {
  readonly projectId: string;
  readonly environment: string;
  readonly bundleVersion: number;
  readonly schemaVersion: number;
}

const maxSchemas = 100;

/** Creates, lists and changes output schemas, and checks outputs against them. */
export class OutputSchemas {
  readonly #database: Database;
  readonly #analysis: Analysis;

  constructor(database: Database, analysis: Analysis) {
    this.#database = database;
    this.#analysis = analysis;
  }

  /** A page of the schemas. */
  list(caller: Caller, page: Page): Promise<[OutputSchemaRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listOutputSchemas(tx, page));
  }

  /** The schema. */
  get(caller: Caller, id: string): Promise<OutputSchemaRow> {
    return this.#database.read(caller.orgId, async (tx) => required(await findOutputSchema(tx, id)));
  }

  /** Creates a schema. */
  async create(
    caller: Caller,
    { name, description = "", schema, enabled = true }: SchemaInput,
    signal?: AbortSignal,
  ): Promise<OutputSchemaRow> {
    await this.#assertUsable(caller, { name, schema }, signal);
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        await assertRoom(tx);
        const row = tx.em.create(OutputSchemaRow, {
          ...{ orgId: tx.orgId, id: newId(), name, description: description === "" ? null : description },
          ...{ schema, version: 1, enabled, createdAt: tx.now, updatedAt: tx.now },
        });
        await tx.em.flush();
        tx.changed({ resource: `output_schema/${row.id}`, before: null, after: auditView(row) });
        return row;
      }),
    );
  }

  /** Replaces the schema. */
  async update(caller: Caller, id: string, change: SchemaChange, signal?: AbortSignal): Promise<OutputSchemaRow> {
    const { name, version: found } = await this.get(caller, id);
    assertVersion(found, change.expectedVersion);
    // A stored schema was valid by the limits of its time, and its other fields have to remain changeable.
    if (change.schema !== undefined) await this.#assertUsable(caller, { name, schema: change.schema }, signal);
    return this.#database.transaction(caller, async (tx) => {
      const row = required(await lockOutputSchema(tx, id));
      assertSame(row, change);
      assertVersion(row.version, change.expectedVersion);
      const before = auditView(row);
      const { schema, description = row.description, enabled = row.enabled } = change;
      const next = { schema, description, enabled };
      if (!isUnchanged(row, next)) Object.assign(row, next, { version: row.version + 1, updatedAt: tx.now });
      tx.changed({ resource: `output_schema/${id}`, before, after: auditView(row) });
      return row;
    });
  }

  /** The violations of an output, by the newest version of the schema. */
  async validate(
    caller: Caller,
    id: string,
    text: string,
    signal?: AbortSignal,
  ): Promise<{ readonly version: number; readonly problems: readonly OutputProblem[] }> {
    const row = await this.get(caller, id);
    const check = { schema: schemaSource(row), text };
    const problems = await this.#analysis.run("checkOutput", check, { orgId: caller.orgId, signal });
    return { version: row.version, problems };
  }

  /** Every schema with the active bundles that carry it, by name. */
  usage(caller: Caller): Promise<SchemaUse[]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const bundled = await bundledSchemas(tx);
      return (await allOutputSchemas(tx)).map((row) => useOf(row, bundled));
    });
  }

  /** The schema with this name and the active bundles that carry it. */
  usageOf(caller: Caller, name: string): Promise<SchemaUse> {
    return this.#database.read(caller.orgId, async (tx) => {
      const row = required(await findOutputSchemaByName(tx, name));
      return useOf(row, await bundledSchemas(tx));
    });
  }

  /** Throws unless the schema can be used. */
  #assertUsable(
    { orgId }: Caller,
    { name, schema }: Pick<SchemaInput, "name" | "schema">,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    return this.#analysis.run("checkSchema", { schemaId: "", name, version: 1, schema }, { orgId, signal });
  }
}

/** The schemas that bundles carry from now on, by name. */
export async function enabledSchemas(tx: Transaction): Promise<SchemaSource[]> {
  return (await allOutputSchemas(tx)).filter(({ enabled }) => enabled).map(schemaSource);
}

/** The path of a schema in a bundle. Its usage is read from such paths. */
export function pathOfSchema({ schemaId, version }: SchemaSource): string {
  return `schemas/${schemaId}/${version}.json`;
}

/** The part that carries a schema. */
export function partOfSchema({ schemaId, name, version, schema }: SchemaSource): SchemaPart & JsonObject {
  return { schema_id: schemaId, name, version, schema };
}

function schemaSource({ id: schemaId, name, version, schema }: OutputSchemaRow): SchemaSource {
  return { schemaId, name, version, schema };
}

function assertSame(row: OutputSchemaRow, { id, name }: SchemaChange): void {
  if ((id ?? row.id).toLowerCase() !== row.id) {
    throw validationFailed([{ field: "id", message: `expected the schema's own id, ${row.id}` }]);
  }
  if ((name ?? row.name) !== row.name) {
    throw validationFailed([{ field: "name", message: `expected ${row.name}; a schema keeps its name` }]);
  }
}

async function assertRoom(tx: Transaction): Promise<void> {
  if ((await countOutputSchemas(tx)) < maxSchemas) return;
  throw new Fault(Reason.LIMIT_REACHED, `an organization has at most ${maxSchemas} output schemas`, {
    extra: { limit: maxSchemas },
  });
}

function assertVersion(current: number, expected: number | undefined): void {
  if (expected === undefined || expected === current) return;
  throw new Fault(
    Reason.VERSION_CONFLICT,
    `the schema is at version ${current}, not ${expected}; read it again and repeat your change`,
    { extra: { current_version: current } },
  );
}

function required(row: OutputSchemaRow | null): OutputSchemaRow {
  if (row === null) throw notFound("output schema");
  return row;
}

function useOf(schema: OutputSchemaRow, bundled: readonly BundledSchema[]): SchemaUse {
  const prefix = `schemas/${schema.id}/`;
  const bundles = bundled
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ project_id: projectId, environment, bundle_version: bundleVersion, path }) => {
      return { projectId, environment, bundleVersion, schemaVersion: Number.parseInt(path.slice(prefix.length), 10) };
    });
  return { schema, bundles };
}

async function namesAreUnique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (violatedUnique(error) !== "output_schema_name") throw error;
    throw new Fault(Reason.ALREADY_EXISTS, "an output schema with this name exists; update that one", { cause: error });
  }
}

function auditView({ name, description, schema, version, enabled }: OutputSchemaRow): JsonObject {
  return { name, description: description ?? null, version, enabled, schema };
}
