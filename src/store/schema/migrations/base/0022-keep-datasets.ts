// Datasets: their versions, samples and imports, and whom samples are about.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: keep datasets. */
export class KeepDatasets extends Migration {
  override up(): void {
    this.addSql(
      'create table "dataset" ("org_id" uuid not null, "id" uuid not null, "project_id" uuid null, "name" text not null, "description" text null, "catalog_id" uuid null, "licence" jsonb null, "state" text not null, "version" int not null default 0, "sample_count" int not null default 0, "counts" jsonb not null, "training_overlap" int not null default 0, "ever_added" bigint not null default \'0\', "size_bytes" bigint not null default \'0\', "metadata" jsonb not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "dataset" add constraint "dataset_name" unique ("org_id", "name")');
    this.addSql(
      'create table "dataset_import" ("org_id" uuid not null, "id" uuid not null, "dataset_id" uuid not null, "state" text not null, "source" text not null, "format" text not null, "attempt" int not null default 0, "bytes" bigint not null default \'0\', "lines" bigint not null default \'0\', "added" int not null default 0, "replaced" int not null default 0, "duplicates" int not null default 0, "rejected" int not null default 0, "version" int null, "problems" text null, "error_code" text null, "error_message" text null, "created_by" text not null, "created_at" timestamptz(3) not null, "touched_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("org_id", "id"))',
    );
    this.addSql(
      'create index "dataset_import_newest" on "dataset_import" ("org_id", "dataset_id", "created_at" DESC, "id")',
    );
    this.addSql('create index "dataset_import_open" on "dataset_import" ("touched_at") where finished_at is null');
    this.addSql(
      'create table "dataset_sample" ("org_id" uuid not null, "dataset_id" uuid not null, "sample_id" uuid not null, "since_version" int not null, "until_version" int null, "content_hash" bytea not null, "digest" bytea not null, "verdict" bytea not null, "external_id" text null, "stage" text not null, "language" text null, "split" text null, "labels" text[] not null, "tags" text[] not null, "source_trace_id" uuid null, "trained_on" boolean not null, "size_bytes" int not null, "sealed" bytea not null, primary key ("org_id", "dataset_id", "sample_id", "since_version"))',
    );
    this.addSql(
      'create unique index "dataset_sample_content" on "dataset_sample" ("org_id", "dataset_id", "content_hash") where until_version is null',
    );
    this.addSql(
      'create unique index "dataset_sample_external" on "dataset_sample" ("org_id", "dataset_id", "external_id") where until_version is null and external_id is not null',
    );
    this.addSql(
      'create table "dataset_subject" ("org_id" uuid not null, "digest" bytea not null, "dataset_id" uuid not null, "sample_id" uuid not null, primary key ("org_id", "digest", "dataset_id", "sample_id"))',
    );
    this.addSql(
      'create table "dataset_version" ("org_id" uuid not null, "dataset_id" uuid not null, "version" int not null, "digest" bytea null, "sample_count" int not null, "added" int not null, "changed" int not null, "removed" int not null, "erased_samples" int not null default 0, "erasure_revision" int not null default 0, "import_id" uuid null, "created_by" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "dataset_id", "version"))',
    );
    this.addSql('alter table "dataset" enable row level security');
    this.addSql('alter table "dataset" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"dataset\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "dataset_import" enable row level security');
    this.addSql('alter table "dataset_import" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"dataset_import\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "dataset_import" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "dataset_sample" enable row level security');
    this.addSql('alter table "dataset_sample" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"dataset_sample\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "dataset_subject" enable row level security');
    this.addSql('alter table "dataset_subject" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"dataset_subject\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "dataset_version" enable row level security');
    this.addSql('alter table "dataset_version" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"dataset_version\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
  }
}
