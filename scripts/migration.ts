// Writes migrations from the entities. `node scripts/migration.ts <name>` writes the changes since the last one as a
// new file. Without a name it rewrites the initial migration, which only makes sense before its release.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MikroORM } from "@mikro-orm/postgresql";
import { migrateDatabase } from "../src/store/connection/migrate.ts";
import { ormOptions } from "../src/store/connection/orm.ts";
import { foreignKeyName, foreignKeys } from "../src/store/schema/foreign-keys.ts";
import { migrations } from "../src/store/schema/migrations/index.ts";
import { openEmbeddedDatabase } from "./postgres/embedded.ts";
import { dropMonthPartitionsSql } from "./postgres/month-partitions.ts";

const [name] = process.argv.slice(2);
if (name === undefined) await writeInitial();
else await writeChange(name);

async function writeInitial(): Promise<void> {
  if (migrations.length > 1) throw new Error("there are later migrations: name the new one");
  const orm = await MikroORM.init({
    ...ormOptions({ url: "postgresql://nobody@127.0.0.1:1/policy_guard", poolSize: 1 }),
    dbName: "policy_guard",
  });
  const statements = statementsOf(await orm.schema.getCreateSchemaSQL());
  await orm.close(true);
  write("0001-initial", {
    header: "// The first schema, generated from the entities.",
    doc: "Creates the tables, their indexes and their row-level policies.",
    className: "Initial",
    statements,
  });
}

async function writeChange(subject: string): Promise<void> {
  if (!/^[a-z]+(-[a-z]+)*$/.test(subject)) throw new Error("a migration is named like add-webhook-label");
  const statements = await changedStatements();
  if (statements.length === 0) throw new Error("the entities match the migrations: there is nothing to write");
  const file = `${String(migrations.length + 1).padStart(4, "0")}-${subject}`;
  const className = subject.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  write(file, {
    header: "// Generated from the entities; see what it does to rows that are there before it is committed.",
    doc: `Brings the tables to what the entities say: ${subject.replaceAll("-", " ")}.`,
    className,
    statements,
  });
  console.log(`src/store/schema/migrations/${file}.ts: ${statements.length} statements. Add ${className} to index.ts.`);
}

/** What a database that has run all migrations lacks. */
async function changedStatements(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-migration-"));
  chmodSync(folder, 0o755);
  const database = await openEmbeddedDatabase(folder, join(folder, "postgres.log"));
  const server = await database.start();
  try {
    await migrateDatabase(database.urls);
    const orm = await MikroORM.init(ormOptions({ url: database.urls.migrationUrl, poolSize: 1 }));
    await orm.em.execute(dropMonthPartitionsSql);
    // Foreign keys are declared as a whole and compared at each migration, so MikroORM knows none of them.
    const ours = foreignKeys.map((key) => `alter table "${key.table}" drop constraint "${foreignKeyName(key)}"`);
    const statements = statementsOf(await orm.schema.getUpdateSchemaSQL());
    await orm.close(true);
    return statements.filter((text) => !ours.includes(text.replace(/;$/, "")));
  } finally {
    await server.stop(10_000);
    rmSync(folder, { recursive: true, force: true });
  }
}

function statementsOf(sql: string): string[] {
  return sql
    .split(/;\n+/)
    .map((text) => text.trim())
    .filter((text) => text !== "" && !text.startsWith("set names"));
}

interface Parts {
  readonly header: string;
  readonly doc: string;
  readonly className: string;
  readonly statements: readonly string[];
}

function write(file: string, { header, doc, className, statements }: Parts): void {
  const body = statements.map((text) => `    this.addSql(${JSON.stringify(text)});`).join("\n");
  writeFileSync(
    new URL(`../src/store/schema/migrations/${file}.ts`, import.meta.url),
    `${header}

import { Migration } from "@mikro-orm/migrations";

/** ${doc} */
export class ${className} extends Migration {
  override up(): void {
${body}
  }
}
`,
  );
}
