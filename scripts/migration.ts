// Writes the initial migration from the entities: node scripts/migration.ts --initial

import { writeFile } from "node:fs/promises";
import { MikroORM } from "@mikro-orm/postgresql";
import { ormOptions } from "../src/store/orm.ts";

const orm = await MikroORM.init({
  ...ormOptions({ url: "postgresql://nobody@127.0.0.1:1/policy_guard", poolSize: 1 }),
  dbName: "policy_guard",
});
const sql = await orm.schema.getCreateSchemaSQL();
const statements = sql
  .split(/;\n+/)
  .map((text) => text.trim())
  .filter((text) => text !== "" && !text.startsWith("set names"));
const body = statements.map((text) => `    this.addSql(${JSON.stringify(text)});`).join("\n");
await writeFile(
  new URL("../src/store/migrations/0001-initial.ts", import.meta.url),
  `// The first schema, generated from the entities.

import { Migration } from "@mikro-orm/migrations";

/** Creates the tables, their indexes and their row-level policies. */
export class Initial extends Migration {
  override up(): void {
${body}
  }
}
`,
);
await orm.close(true);
