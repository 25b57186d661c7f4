// Subscriptions may begin with a trial, and what the operator's commands have to tell is mailed by the worker.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: try and tell. */
export class TryAndTell extends Migration {
  override up(): void {
    this.addSql('alter table "subscription" add "trial_ends_at" timestamptz(3) null');
    this.addSql('alter table "billing_notice" add "mail_due" boolean not null default false');
  }
}
