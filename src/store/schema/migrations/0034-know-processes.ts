// Which processes live, of which version, so that no migration takes away what one of them needs; and which migrations
// did so, for processes that come later.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: know processes. */
export class KnowProcesses extends Migration {
  override up(): void {
    this.addSql(
      'create table "process_heartbeat" ("id" uuid not null, "process" text not null, "version" text not null, "schema" text not null, "seen" timestamptz(3) not null, primary key ("id"))',
    );
    this.addSql(
      'create table "schema_contract" ("name" text not null, "oldest_version" text not null, primary key ("name"))',
    );
    for (const table of ["process_heartbeat", "schema_contract"]) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(
        `create policy "migration" on "${table}" to "policy_guard_lookup", "policy_guard_owner" using (true) with check (true)`,
      );
    }
  }
}
