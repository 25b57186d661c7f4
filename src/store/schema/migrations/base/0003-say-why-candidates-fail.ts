// A candidate says why a runtime could not load it. Candidates that are there have not been asked.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: say why candidates fail. */
export class SayWhyCandidatesFail extends Migration {
  override up(): void {
    this.addSql('alter table "candidate" add "load_failure" text null');
  }
}
