// Output schemas: what structured outputs of models are held against, here by people who write them and in runtimes by requests
// that name them. They take effect with the next bundle.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import {
  compileOutputSchema,
  type OutputProblem,
  SchemaInvalid,
  type SchemaSource,
} from "../../runtime/engine/output-schema.ts";
import type { Caller } from "../kit/context.ts";
import { Fault, notFound, validationFailed } from "../kit/error.ts";
import { newId } from "../kit/id.ts";
import type { Page } from "../kit/page.ts";
import type { Database, Transaction } from "../store/database.ts";
import { violatedUnique } from "../store/driver-error.ts";
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
} from "../store/output-schema.ts";

/** A schema as it is created. */
export interface SchemaInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: JsonObject;
  readonly enabled?: boolean | undefined;
}

/** What of a schema changes. */
export interface SchemaChange {
  readonly schema: JsonObject;
  /** Unset: stays. */
  readonly description?: string | undefined;
  /** Unset: stays. */
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

/** Creates, lists and changes output schemas, and holds outputs against them. */
export class OutputSchemas {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
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
  create(caller: Caller, { name, description = "", schema, enabled = true }: SchemaInput): Promise<OutputSchemaRow> {
    assertUsable({ schemaId: "", name, version: 1, schema });
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
  update(caller: Caller, id: string, change: SchemaChange): Promise<OutputSchemaRow> {
    return this.#database.transaction(caller, async (tx) => {
      const row = required(await lockOutputSchema(tx, id));
      assertVersion(row.version, change.expectedVersion);
      const before = auditView(row);
      const { schema, description = row.description, enabled = row.enabled } = change;
      const version = row.version + 1;
      assertUsable({ schemaId: id, name: row.name, version, schema });
      Object.assign(row, { schema, description, enabled, version, updatedAt: tx.now });
      tx.changed({ resource: `output_schema/${id}`, before, after: auditView(row) });
      return row;
    });
  }

  /** What is wrong with an output, by the newest version of the schema. */
  async validate(
    caller: Caller,
    id: string,
    text: string,
  ): Promise<{ readonly version: number; readonly problems: readonly OutputProblem[] }> {
    const row = await this.get(caller, id);
    return { version: row.version, problems: compileOutputSchema(schemaSource(row)).check(text) };
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
}

/** A schema as a bundle carries it. */
export interface SchemaPart {
  readonly schema_id: string;
  readonly name: string;
  readonly version: number;
  readonly schema: JsonObject;
}

/** The schemas that bundles carry from now on, by name. */
export async function enabledSchemas(tx: Transaction): Promise<SchemaSource[]> {
  return (await allOutputSchemas(tx)).filter(({ enabled }) => enabled).map(schemaSource);
}

/** Where a schema lies in a bundle. Usage is read from it. */
export function pathOfSchema({ schemaId, version }: SchemaSource): string {
  return `schemas/${schemaId}/${version}.json`;
}

/** The part that carries a schema. */
export function partOfSchema({ schemaId, name, version, schema }: SchemaSource): SchemaPart & JsonObject {
  return { schema_id: schemaId, name, version, schema };
}

/** The schema of a part. */
export function schemaOfPart({ schema_id: schemaId, name, version, schema }: SchemaPart): SchemaSource {
  return { schemaId, name, version, schema };
}

function schemaSource({ id: schemaId, name, version, schema }: OutputSchemaRow): SchemaSource {
  return { schemaId, name, version, schema };
}

function assertUsable(source: SchemaSource): void {
  try {
    compileOutputSchema(source);
  } catch (error) {
    if (!(error instanceof SchemaInvalid)) throw error;
    throw validationFailed([{ field: "schema", message: error.message }]);
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
