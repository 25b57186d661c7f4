// Gates keep what benchmarks, replays and the measurement of languages say about content, and the content itself.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: judge by gates. */
export class JudgeByGates extends Migration {
  override up(): void {
    this.addSql(
      'create table "gate_content" ("org_id" uuid not null, "content_digest" text not null, "parts" jsonb not null, "created_at" timestamptz(3) not null, primary key ("org_id", "content_digest"))',
    );
    this.addSql(
      'create table "gate_result" ("org_id" uuid not null, "environment_id" uuid not null, "content_digest" text not null, "gate" text not null, "revision" int not null, "basis" text not null, "kind" text not null, "state" text not null, "reason" text not null, "run_id" uuid null, "details" jsonb null, "created_at" timestamptz(3) not null, "decided_at" timestamptz(3) null, primary key ("org_id", "environment_id", "content_digest", "gate", "revision", "basis"))',
    );
    this.addSql('create index "gate_result_run" on "gate_result" ("org_id", "run_id")');
    this.addSql('create index "gate_result_newest" on "gate_result" ("org_id", "environment_id", "created_at")');
    for (const table of ["gate_content", "gate_result"]) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(`create policy "tenant" on "${table}" using (${own}) with check (${own})`);
    }
  }
}
