// Of the indexes that hold every delivery, only the primary key begins with the organization from here on
// (webhook-delivery.ts says why), and the sweep needs none of its own any more. Rows stay as they are.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: narrow delivery indexes. */
export class NarrowDeliveryIndexes extends Migration {
  override up(): void {
    this.addSql('drop index "webhook_delivery_due"');
    this.addSql('drop index "webhook_delivery_claimed"');
    this.addSql('drop index "webhook_delivery_created"');
    this.addSql('drop index "webhook_delivery_event"');
    this.addSql(
      'create index "webhook_delivery_claimed" on "webhook_delivery" ("org_id", "webhook_id", "claimed_until") where claim_id is not null',
    );
    this.addSql('create index "webhook_delivery_created" on "webhook_delivery" ("webhook_id", "created_at")');
    this.addSql('create index "webhook_delivery_event" on "webhook_delivery" ("event_id")');
  }
}
