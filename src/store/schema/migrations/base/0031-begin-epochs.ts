// A log of evidence goes on under a new name after its database was restored; runtimes say which checkpoint they keep.

import { Migration } from "@mikro-orm/migrations";

const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** Brings the tables to what the entities say: begin epochs. */
export class BeginEpochs extends Migration {
  override up(): void {
    this.addSql(
      'create table "audit_epoch" ("org_id" uuid not null, "epoch" int not null, "origin" text not null, "size" bigint not null, "reason" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "epoch"))',
    );
    this.addSql('alter table "audit_epoch" enable row level security');
    this.addSql('alter table "audit_epoch" force row level security');
    this.addSql(`create policy "tenant" on "audit_epoch" using (${own}) with check (${own})`);
    this.addSql('alter table "runtime_instance" add "witnessed_size" bigint not null default \'0\'');
    this.addSql('alter table "runtime_instance" add "witnessed_epoch" int not null default 0');
    this.addSql('alter table "runtime_instance" add "evidence_forked_at" timestamptz(3) null');
  }
}
