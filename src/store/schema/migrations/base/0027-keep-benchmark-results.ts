// Benchmarks keep what came of each sample.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: keep benchmark results. */
export class KeepBenchmarkResults extends Migration {
  override up(): void {
    this.addSql(
      'create table "benchmark_result" ("org_id" uuid not null, "run_id" uuid not null, "sample_id" uuid not null, "verdict" text not null, "has_wrong_spans" boolean not null, "fact" text not null, primary key ("org_id", "run_id", "sample_id"))',
    );
    this.addSql('create index "benchmark_result_sample" on "benchmark_result" ("org_id", "sample_id")');
    this.addSql('alter table "benchmark_result" enable row level security');
    this.addSql('alter table "benchmark_result" force row level security');
    this.addSql(`create policy "tenant" on "benchmark_result" using (${own}) with check (${own})`);
  }
}
