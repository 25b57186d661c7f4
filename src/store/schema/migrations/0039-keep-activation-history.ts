// Who activated what, when, why and with which words: the history of an environment. What is known of activations that
// are there follows from their bundles when the history is read.

import { Migration } from "@mikro-orm/migrations";

/** Brings the table to what the entity says: the history of activations. */
export class KeepActivationHistory extends Migration {
  override up(): void {
    this.addSql(
      'alter table "activation" add column "cause" text null, add column "message" text null, add column "activated_at" timestamptz(3) null',
    );
  }
}
