// Each migration keeps to the contract of upgrades: docs/deploy/upgrade.md.

import { Migration } from "@mikro-orm/migrations";
import { describe, expect, it } from "vitest";
import { migrations } from "../../../../src/store/schema/migrations/index.ts";
import type { PhasedMigration } from "../../../../src/store/schema/phase.ts";
import { problemsOf } from "./migration-rules.ts";

type Phase = { readonly phase: "base" | "expand" } | { readonly phase: "contract"; readonly oldestVersion: string };

function saying(statements: readonly string[], { isConcurrent, ...phase }: Phase & { isConcurrent?: true }) {
  const made = class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement);
    }
  };
  return { name: "9999-tried", class: made, ...phase, ...(isConcurrent && { isConcurrent }) } satisfies PhasedMigration;
}

describe("migrations", () => {
  it.each(migrations.filter(({ phase }) => phase !== "base").map((one) => [one.name, one] as const))(
    "%s keeps to the contract",
    async (_, migration) => {
      expect(await problemsOf(migration)).toEqual([]);
    },
  );

  it("of the base are those of before the first release, and no more", () => {
    const base = migrations.filter(({ phase }) => phase === "base").map(({ name }) => name);
    expect(base).toHaveLength(33);
    expect(base.at(-1)).toBe("0033-name-runtimes-of-traces");
  });

  it("are numbered without a gap", () => {
    expect(migrations.map(({ name }) => Number(name.slice(0, 4)))).toEqual(migrations.map((_, i) => i + 1));
  });
});

describe("the rules of migrations", () => {
  const expand = { phase: "expand" } as const;

  it.each([
    ["a column becomes not null", 'alter table "token" alter column "name" set not null', /still writes null/],
    ["a column changes its type", 'alter table "token" alter column "name" type varchar(9)', /type changes/],
    ["a column is renamed", 'alter table "token" rename column "name" to "label"', /a name goes/],
    ["a column goes", 'alter table "token" drop column "name"', /something goes/],
    ["a table goes", 'drop table "token"', /something goes/],
    ["a default goes", 'alter table "token" alter column "name" drop default', /relies on goes/],
    ["rows go", 'delete from "token"', /rows go/],
    ["rows are rewritten", `update "token" set "name" = 'x'`, /leave them to a job/],
    ["a table is locked", 'lock table "token"', /locked as a whole/],
    ["the time for locks is lifted", "set local lock_timeout = 0", /set by the migration run/],
    ["a column is needed", 'alter table "token" add column "x" text not null', /nullable, or with a default/],
    ["the second of two columns is", 'alter table "token" add "a" text null, add "b" int not null', /nullable/],
    ["each row gets a default", 'alter table "token" add "x" uuid default gen_random_uuid()', /rewrites the table/],
    ["an index is built on a table with rows", 'create index "x" on "token" ("name")', /token cannot be written/],
    ["a unique index is", 'create unique index "x" on "token" ("name")', /concurrently/],
    ["an index goes", 'drop index "x"', /an index goes/],
    ["a constraint is checked at once", 'alter table "token" add constraint "x" check (true)', /not valid/],
    ["a unique constraint is", 'alter table "token" add constraint "x" unique ("name")', /using index/],
    [
      "an index is built concurrently among others",
      'create index concurrently "x" on "token" ("name")',
      /isConcurrent/,
    ],
  ])("refuse that %s", async (_, statement, problem) => {
    const problems = await problemsOf(saying([statement], expand));
    expect(problems.join("; ")).toMatch(problem);
  });

  it.each([
    ["a new table with an index", ['create table "x" ("id" uuid not null)', 'create index "x_id" on "x" ("id")']],
    ["a nullable column", ['alter table "token" add column "x" text null']],
    ["columns with defaults", ['alter table "token" add "a" text null, add "b" int not null default 0']],
    [
      "a constraint in two steps",
      [
        'alter table "token" add constraint "x" check ("name" is not null) not valid',
        'alter table "token" validate constraint "x"',
      ],
    ],
    ["a unique index as a constraint", ['alter table "token" add constraint "x" unique using index "x"']],
    ["a column that is needed no more", ['alter table "token" alter column "name" drop not null']],
  ])("allow %s", async (_, statements) => {
    expect(await problemsOf(saying(statements, expand))).toEqual([]);
  });

  it("allow an index that is built concurrently and can be built again, alone", async () => {
    const [drop, build] = [
      'drop index concurrently if exists "x"',
      'create index concurrently "x" on "token" ("name")',
    ];
    const alone = { ...expand, isConcurrent: true } as const;
    expect(await problemsOf(saying([drop, build], alone))).toEqual([]);
    expect((await problemsOf(saying([build], alone))).join()).toMatch(/has to come first/);
    expect((await problemsOf(saying([drop, build, "select 1"], alone))).join()).toMatch(/nothing else/);
  });

  it("let a contract take away, and still hold no lock for long", async () => {
    const contract = { phase: "contract", oldestVersion: "1.2.0" } as const;
    expect(await problemsOf(saying(['alter table "token" drop column "name"'], contract))).toEqual([]);
    expect((await problemsOf(saying(['create index "x" on "token" ("name")'], contract))).join()).toMatch(
      /concurrently/,
    );
  });

  it("refuse statements that they do not see", async () => {
    const hidden = class extends Migration {
      override async up(): Promise<void> {
        await this.execute("drop table token");
      }
    };
    expect(await problemsOf({ name: "9999-hidden", class: hidden, ...expand })).toEqual([
      "it runs statements by itself: use addSql",
    ]);
  });
});
