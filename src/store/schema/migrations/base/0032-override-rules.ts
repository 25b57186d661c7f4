// Admins keep rules of an environment in shadow for a while.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: override rules. */
export class OverrideRules extends Migration {
  override up(): void {
    this.addSql(
      'create table "rule_override" ("org_id" uuid not null, "environment_id" uuid not null, "policy_id" uuid not null, "rule_id" text not null, "id" uuid not null, "project_id" uuid not null, "environment" text not null, "policy" text not null, "reason" text not null, "calibration_id" uuid null, "created_by" text not null, "created_at" timestamptz(3) not null, "until" timestamptz(3) not null, "activation_seq" int not null, primary key ("org_id", "environment_id", "policy_id", "rule_id"))',
    );
    this.addSql('alter table "rule_override" add constraint "rule_override_id" unique ("org_id", "id")');
    this.addSql('alter table "rule_override" enable row level security');
    this.addSql('alter table "rule_override" force row level security');
    this.addSql(`create policy "tenant" on "rule_override" using (${own}) with check (${own})`);
  }
}
