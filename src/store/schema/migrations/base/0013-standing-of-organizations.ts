// What the operator of an installation has set for an organization is kept beside what is in force, so that both
// survive what is bought; and a lease that was called back is still there until its evaluations are reported.

import { Migration } from "@mikro-orm/migrations";

/** Brings the tables to what the entities say: standing of organizations. */
export class StandingOfOrganizations extends Migration {
  override up(): void {
    this.addSql(
      'alter table "organization" add "operator_plan" text null, add "operator_plan_until" timestamptz(3) null, add "operator_block_reason" text null, add "unlimited_until" timestamptz(3) null, add "billing_email" text null, add "security_email" text null',
    );
    this.addSql('alter table "quota_lease" add "closed_at" timestamptz(3) null');
    // Until now only operators could set a plan, or block. The owner of the tables sees no rows of a forced policy.
    this.addSql('alter table "organization" no force row level security');
    this.addSql('update "organization" set "operator_plan" = "plan" where "plan" <> \'free\'');
    this.addSql(
      'update "organization" set "operator_block_reason" = \'blocked before reasons were kept\' where "billing_blocked"',
    );
    this.addSql('alter table "organization" force row level security');
    // Its columns change, which only a new function can; it is made anew after the migrations.
    this.addSql("set local role policy_guard_lookup");
    this.addSql("drop function if exists app.account_organizations(uuid)");
    this.addSql("reset role");
  }
}
