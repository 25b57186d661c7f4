// Runtimes may send traces of a sample and count the other evaluations: an environment says of how many it wants
// traces, and a boot of a runtime how far its evaluations were taken, so that no count is added twice.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: sample traces. */
export class SampleTraces extends Migration {
  override up(): void {
    this.addSql('alter table "environment" add column "sampled_allow_percent" double precision not null default 100');
    this.addSql('alter table "environment" add column "sampled_other_percent" double precision not null default 100');
    this.addSql(
      'create table "report_boot" ("org_id" uuid not null, "project_id" uuid not null, "environment" text not null, "instance_id" uuid not null, "boot_id" uuid not null, "last_seq" bigint not null, "sampled_since" timestamptz(3) null, "sampled_until" timestamptz(3) null, "updated_at" timestamptz(3) not null, primary key ("org_id", "project_id", "environment", "instance_id", "boot_id"))',
    );
    this.addSql('alter table "report_boot" enable row level security');
    this.addSql('alter table "report_boot" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"report_boot\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
  }
}
