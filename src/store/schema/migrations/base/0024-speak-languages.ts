// Organizations enable language packs, and add keywords of their own.

import { Migration } from "@mikro-orm/migrations";
import { lookupRole } from "../../../core/roles.ts";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: speak languages. */
export class SpeakLanguages extends Migration {
  override up(): void {
    this.addSql(
      `create table "enabled_language" ("org_id" uuid not null, "language" text not null, "categories" jsonb null, "enabled_at" timestamptz(3) not null, "enabled_by" text not null, primary key ("org_id", "language"))`,
    );
    this.addSql(
      `create table "custom_keywords" ("org_id" uuid not null, "language" text not null, "revision" int not null, "keywords" jsonb not null, "allow" jsonb not null, "keyword_count" int not null, "updated_at" timestamptz(3) not null, "updated_by" text not null, primary key ("org_id", "language"))`,
    );
    for (const table of ["enabled_language", "custom_keywords"]) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(`create policy "tenant" on "${table}" using (${own}) with check (${own})`);
    }
    this.addSql(`create policy "lookup" on "enabled_language" for select to "${lookupRole}" using (true)`);
  }
}
