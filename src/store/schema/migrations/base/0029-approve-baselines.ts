// Admins approve benchmarks that others are compared with.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: approve baselines. */
export class ApproveBaselines extends Migration {
  override up(): void {
    this.addSql(
      'create table "benchmark_baseline" ("org_id" uuid not null, "project_id" uuid not null, "environment" text not null, "dataset_id" uuid not null, "run_id" uuid not null, "approved_by" text not null, "approved_at" timestamptz(3) not null, primary key ("org_id", "project_id", "environment", "dataset_id"))',
    );
    this.addSql('alter table "benchmark_baseline" enable row level security');
    this.addSql('alter table "benchmark_baseline" force row level security');
    this.addSql(`create policy "tenant" on "benchmark_baseline" using (${own}) with check (${own})`);
  }
}
