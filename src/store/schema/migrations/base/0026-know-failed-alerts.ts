// Alert rules count evaluations that failed, and deliveries that were given up are found by their end.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: know failed alerts. */
export class KnowFailedAlerts extends Migration {
  override up(): void {
    this.addSql('alter table "alert_rule" add column "failures" int not null default 0');
    this.addSql(
      `create index "webhook_delivery_dropped" on "webhook_delivery" ("org_id", "finished_at") where state = 'dropped'`,
    );
  }
}
