// Replays of many traces keep what they find, and runs say which project they are about.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: keep replay results. */
export class KeepReplayResults extends Migration {
  override up(): void {
    this.addSql(
      'create table "replay_result" ("org_id" uuid not null, "run_id" uuid not null, "place" int not null, "trace_id" uuid not null, "created_at" timestamptz(3) not null, "project_id" uuid not null, "environment" text not null, "was" smallint not null, "least" smallint not null, "most" smallint not null, "was_rule" text null, "was_policy" text null, "rule" text null, "policy" text null, "has_read_text" boolean not null, "reasons" text[] not null, primary key ("org_id", "run_id", "place"))',
    );
    this.addSql('alter table "run" add "project_id" uuid null');
    this.addSql('alter table "replay_result" enable row level security');
    this.addSql('alter table "replay_result" force row level security');
    this.addSql(`create policy "tenant" on "replay_result" using (${own}) with check (${own})`);
  }
}
