// Everything that a database holds, as whoever steals a dump of it would read it.

import pg from "pg";
import { inject } from "vitest";
import type { TestDatabase } from "./database.ts";

/** Every row of every table, the job queue's included, as text. */
export async function dumpOf({ applicationUrl }: TestDatabase): Promise<string> {
  const url = new URL(inject("postgres").superuserUrl);
  url.pathname = new URL(applicationUrl).pathname;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    let text = "";
    for (const { name } of rows) {
      const lines = await client.query<{ line: string }>(`select t::text as line from ${name} t`);
      text += lines.rows.map(({ line }) => line).join("\n");
    }
    return text;
  } finally {
    await client.end();
  }
}

/** A secret as it would look in text, in a binary column, and encoded. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "")];
}
