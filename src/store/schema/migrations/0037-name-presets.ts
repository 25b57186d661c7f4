// A detector backend may name a preset, which says what its labels mean, and the model that its server is asked for.
// Backends that are there name neither.

import { Migration } from "@mikro-orm/migrations";

/** Brings the table to what the entity says: a preset and a model. */
export class NamePresets extends Migration {
  override up(): void {
    this.addSql('alter table "detector_backend" add column "preset" text null, add column "model" text null');
  }
}
