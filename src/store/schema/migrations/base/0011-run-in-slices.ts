// Long work becomes runs, of which an erasure is the first. Traces say when they were erased.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: run in slices. */
export class RunInSlices extends Migration {
  override up(): void {
    this.addSql(
      'create table "run" ("org_id" uuid not null, "id" uuid not null, "kind" text not null, "state" text not null, "spec" text not null, "cursor" text not null default \'\', "done" bigint not null default \'0\', "total" bigint null, "report" text null, "error_code" text null, "error_message" text null, "tries" int not null default 0, "created_by" text not null, "created_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "touched_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "run_newest" on "run" ("org_id", "kind", "created_at" desc, "id")');
    this.addSql('create index "run_open" on "run" ("touched_at") where finished_at is null');
    this.addSql(
      'create table "erased_subject" ("org_id" uuid not null, "digest" bytea not null, "erased_at" timestamptz(3) not null, primary key ("org_id", "digest"))',
    );
    for (const table of ["run", "erased_subject"]) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(`create policy "tenant" on "${table}" using (${own}) with check (${own})`);
    }
    this.addSql('create policy "lookup" on "run" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "trace" add "erased_at" timestamptz(3) null');
  }
}
