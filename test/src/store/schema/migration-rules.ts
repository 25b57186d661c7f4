// What a migration may say. Processes of the last release go on beside one of the phase `expand`, so it adds and takes
// nothing away, and holds no lock that makes them wait for long.

import type { Migration } from "@mikro-orm/migrations";
import type { PhasedMigration } from "../../../../src/store/schema/phase.ts";

/** What is wrong with a statement, in one of the phases or in both. */
interface Rule {
  readonly pattern: RegExp;
  /** Whether it is wrong in migrations of the phase `expand` only. */
  readonly isForExpand?: true;
  readonly problem: string;
}

const rules: readonly Rule[] = [
  {
    pattern: /\bset not null\b/,
    isForExpand: true,
    problem: "the last release still writes null: `check … not valid`",
  },
  { pattern: /\balter column "?\w+"? (set data )?type\b/, isForExpand: true, problem: "a type changes: add a column" },
  { pattern: /\brename\b/, isForExpand: true, problem: "a name goes that the last release uses: add another" },
  { pattern: /\bdrop (column|table|schema|type|view)\b/, isForExpand: true, problem: "something goes: `contract`" },
  { pattern: /\bdrop (policy|default)\b/, isForExpand: true, problem: "what the last release relies on goes" },
  { pattern: /\btruncate\b|\bdelete from\b/, isForExpand: true, problem: "rows go: leave them to a job" },
  { pattern: /\bupdate "?\w+"? set\b/, problem: "rows are rewritten in one transaction: leave them to a job" },
  { pattern: /\block table\b|\bcluster\b|\bvacuum full\b/, problem: "a table is locked as a whole" },
  { pattern: /\bset (local |session )?lock_timeout\b/, problem: "lock_timeout is set by the migration run" },
];

/** What is wrong with a migration, in words. */
export async function problemsOf(migration: PhasedMigration): Promise<string[]> {
  const made: Migration = new migration.class(undefined, undefined);
  // Statements that are run at once would need a database here, and are not seen by the rules.
  const notSeen: string[] = [];
  made.execute = () => {
    notSeen.push("it runs statements by itself: use addSql");
    return Promise.resolve([]);
  };
  await made.up();
  const statements = made.getQueries().map((query) => String(query).replace(/\s+/g, " ").toLowerCase());
  const created = new Set(
    statements.flatMap((text) => /^create table (?:if not exists )?"?(\w+)/.exec(text)?.[1] ?? []),
  );
  const { phase, isConcurrent = false } = migration;
  return [
    ...notSeen,
    ...statements.flatMap((text, at) => [
      ...rules
        .filter(({ pattern, isForExpand }) => pattern.test(text) && (phase === "expand" || isForExpand !== true))
        .map(({ problem }) => problem),
      ...addedColumns(text),
      ...indexProblems(text, { created, before: statements.slice(0, at), isConcurrent }),
      ...constraintProblems(text, created),
    ]),
  ];
}

function addedColumns(text: string): string[] {
  if (!text.startsWith("alter table")) return [];
  // Several columns in one statement: each begins with its own "add".
  const parts = text.split(/\badd (?:column )?(?:if not exists )?(?!constraint|check|unique|primary|foreign)/).slice(1);
  return parts.flatMap((part) => {
    if (/\bnot null\b/.test(part) && !/\bdefault\b/.test(part)) {
      return ["the last release inserts rows without the column: nullable, or with a default"];
    }
    return /\bdefault [^,]*(random|now|clock_timestamp|nextval)\w*\(/.test(part)
      ? ["a default that differs for each row rewrites the table"]
      : [];
  });
}

interface IndexPlace {
  readonly created: ReadonlySet<string>;
  readonly before: readonly string[];
  readonly isConcurrent: boolean;
}

function indexProblems(text: string, { created, before, isConcurrent }: IndexPlace): string[] {
  const isBuilt = /^(create|drop|reindex).*\bindex\b/.test(text) && /\bconcurrently\b/.test(text);
  if (isBuilt && !isConcurrent) return ["`concurrently` needs isConcurrent, in a migration of its own"];
  if (!isBuilt && isConcurrent) return ["a concurrent migration builds and drops indexes and does nothing else"];
  const match = /^create (?:unique )?index (concurrently )?(?:if not exists )?"?(\w+)"? on (?:only )?"?(\w+)/.exec(
    text,
  );
  if (match === null) {
    return /^drop index (?!concurrently)/.test(text) ? ["an index goes with a lock of its table: concurrently"] : [];
  }
  const [, concurrently, name = "", table = ""] = match;
  if (concurrently === undefined) {
    return created.has(table) ? [] : [`rows of ${table} cannot be written while the index is built: concurrently`];
  }
  // One that broke off leaves an index that is not valid, which "if not exists" would take for the finished one.
  return before.some((each) => each === `drop index concurrently if exists "${name}"`)
    ? []
    : [`"drop index concurrently if exists" of ${name} has to come first, so that it can be run again`];
}

function constraintProblems(text: string, created: ReadonlySet<string>): string[] {
  const table = /^alter table (?:only )?"?(\w+)/.exec(text)?.[1];
  if (table === undefined || created.has(table) || !/\badd (constraint|check|unique|primary|foreign)\b/.test(text)) {
    return [];
  }
  if (/\b(unique|primary key)\b/.test(text)) {
    return /\busing index\b/.test(text) ? [] : ["the table is locked while its index is built: `using index`"];
  }
  return /\bnot valid\b/.test(text) ? [] : ["rows are checked under a lock: `not valid`, then `validate constraint`"];
}
