// Environments say whether the records of their runtimes carry the facts by which a trace can be replayed.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: keep replay facts. */
export class KeepReplayFacts extends Migration {
  override up(): void {
    this.addSql('alter table "environment" add "replay_facts" boolean not null default true');
  }
}
