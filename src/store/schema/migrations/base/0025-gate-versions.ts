// Environments define gates for their versions, and say whether an admin may go past them.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: gate versions. */
export class GateVersions extends Migration {
  override up(): void {
    this.addSql('alter table "environment" add "allow_gate_override" boolean null');
    this.addSql(
      'create table "gate_set" ("org_id" uuid not null, "environment_id" uuid not null, "version" int not null, "gates" jsonb not null, "updated_at" timestamptz(3) not null, "updated_by" text not null, primary key ("org_id", "environment_id"))',
    );
    this.addSql('alter table "gate_set" enable row level security');
    this.addSql('alter table "gate_set" force row level security');
    this.addSql(`create policy "tenant" on "gate_set" using (${own}) with check (${own})`);
  }
}
