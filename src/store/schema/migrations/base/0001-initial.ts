// The first schema, generated from the entities.

import { Migration } from "@mikro-orm/migrations";

/** Creates the tables, their indexes and their row-level policies. */
export class Initial extends Migration {
  override up(): void {
    this.addSql(
      'create table "account" ("id" uuid not null, "email" text not null, "email_key" text not null, "email_verified_at" timestamptz(3) null, "name" text not null, "password_hash" text null, "mfa_secret_sealed" bytea null, "mfa_enabled_at" timestamptz(3) null, "mfa_last_step" int null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))',
    );
    this.addSql('alter table "account" add constraint "account_email" unique ("email_key")');
    this.addSql(
      'create table "activation" ("org_id" uuid not null, "environment_id" uuid not null, "activation_seq" int not null, "version" int not null, "digest" text not null, "statement" jsonb not null, "issued_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "created_by" text not null, primary key ("org_id", "environment_id", "activation_seq"))',
    );
    this.addSql(
      'create table "address_limit" ("key" text not null, "hits" timestamptz[] not null, primary key ("key"))',
    );
    this.addSql(
      'create table "agent" ("org_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "key" text not null, "name" text not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "agent" add constraint "agent_key" unique ("org_id", "project_id", "key")');
    this.addSql(
      'create table "audit_entry" ("org_id" uuid not null, "seq" bigint not null, "leaf" text not null, "leaf_hash" bytea not null, "action" text not null, "actor" text not null, "resource" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "seq"))',
    );
    this.addSql('create table "audit_head" ("org_id" uuid not null, "size" bigint not null, primary key ("org_id"))');
    this.addSql(
      'create table "bundle" ("org_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "environment_id" uuid not null, "environment" text not null, "version" int not null, "digest" text not null, "content_digest" text not null, "source" text not null, "message" text null, "manifest" jsonb not null, "parts" jsonb not null, "policies" jsonb not null, "size_bytes" int not null, "tests_passed" int not null, "tests_failed" int not null, "created_by" text not null, "author_id" uuid null, "created_at" timestamptz(3) not null, "activated_at" timestamptz(3) null, "activation_seq" int null, "purged_at" timestamptz(3) null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "bundle" add constraint "bundle_version" unique ("org_id", "environment_id", "version")');
    this.addSql(
      'create table "bundle_approval" ("org_id" uuid not null, "environment_id" uuid not null, "version" int not null, "account_id" uuid not null, "approved_by" text not null, "approved_at" timestamptz(3) not null, primary key ("org_id", "environment_id", "version", "account_id"))',
    );
    this.addSql(
      'create table "bundle_part" ("org_id" uuid not null, "digest" text not null, "data" bytea not null, "created_at" timestamptz(3) not null, primary key ("org_id", "digest"))',
    );
    this.addSql(
      'create table "candidate" ("org_id" uuid not null, "environment_id" uuid not null, "version" int not null, "digest" text not null, "active_version" int not null, "percent" int not null, "started_by" text not null, "started_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "skipped" bigint not null default \'0\', "failed" bigint not null default \'0\', primary key ("org_id", "environment_id"))',
    );
    this.addSql(
      'create table "candidate_count" ("org_id" uuid not null, "environment_id" uuid not null, "active_outcome" int not null, "candidate_outcome" int not null, "evaluations" bigint not null, primary key ("org_id", "environment_id", "active_outcome", "candidate_outcome"))',
    );
    this.addSql(
      'create table "candidate_sample" ("org_id" uuid not null, "environment_id" uuid not null, "evaluation_id" uuid not null, "active_outcome" int not null, "candidate_outcome" int not null, "candidate_rule" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "environment_id", "evaluation_id"))',
    );
    this.addSql(
      'create table "detector_backend" ("org_id" uuid not null, "key" text not null, "url" text not null, "shape" text not null, "timeout_ms" int not null, "auth_header" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "key"))',
    );
    this.addSql(
      'create table "environment" ("org_id" uuid not null, "id" uuid not null, "project_id" uuid not null, "name" text not null, "position" int not null, "is_protected" boolean not null, "is_frozen" boolean not null default false, "required_approvals" int not null default 0, "capture" text not null, "latest_version" int not null default 0, "activation_seq" int not null default 0, "active_version" int null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "environment" add constraint "environment_name" unique ("org_id", "project_id", "name")');
    this.addSql(
      'create table "evaluation_key" ("org_id" uuid not null, "evaluation_id" uuid not null, "created_at" timestamptz(3) not null, "payload_hash" bytea not null, primary key ("org_id", "evaluation_id")) partition by hash ("org_id")',
    );
    this.addSql('create index "evaluation_key_age" on "evaluation_key" using brin ("created_at")');
    this.addSql(
      'create table "evaluation_key_0" partition of "evaluation_key" for values with (modulus 8, remainder 0)',
    );
    this.addSql(
      'create table "evaluation_key_1" partition of "evaluation_key" for values with (modulus 8, remainder 1)',
    );
    this.addSql(
      'create table "evaluation_key_2" partition of "evaluation_key" for values with (modulus 8, remainder 2)',
    );
    this.addSql(
      'create table "evaluation_key_3" partition of "evaluation_key" for values with (modulus 8, remainder 3)',
    );
    this.addSql(
      'create table "evaluation_key_4" partition of "evaluation_key" for values with (modulus 8, remainder 4)',
    );
    this.addSql(
      'create table "evaluation_key_5" partition of "evaluation_key" for values with (modulus 8, remainder 5)',
    );
    this.addSql(
      'create table "evaluation_key_6" partition of "evaluation_key" for values with (modulus 8, remainder 6)',
    );
    this.addSql(
      'create table "evaluation_key_7" partition of "evaluation_key" for values with (modulus 8, remainder 7)',
    );
    this.addSql(
      'create table "event" ("org_id" uuid not null, "id" text not null, "name" text not null, "body" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "event_created" on "event" ("created_at")');
    this.addSql(
      'create table "join_request" ("org_id" uuid not null, "id" uuid not null, "account_id" uuid not null, "email" text not null, "email_key" text not null, "name" text not null, "message" text null, "state" text not null, "created_at" timestamptz(3) not null, "decided_at" timestamptz(3) null, "decided_by" text null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "join_request_created" on "join_request" ("org_id", "created_at")');
    this.addSql('create index "join_request_account" on "join_request" ("account_id")');
    this.addSql(
      'create unique index "join_request_pending" on "join_request" ("org_id", "account_id") where state = \'pending\'',
    );
    this.addSql(
      'create table "key_set" ("org_id" uuid not null, "serial" int not null, "statement" jsonb not null, "issued_at" timestamptz(3) not null, primary key ("org_id"))',
    );
    this.addSql(
      'create table "list" ("org_id" uuid not null, "id" uuid not null, "name" text not null, "description" text null, "app_id" text not null, "agent_id" text not null, "env" text not null, "items" jsonb not null, "item_count" int not null, "revision" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql(
      'alter table "list" add constraint "list_scope" unique ("org_id", "name", "app_id", "agent_id", "env")',
    );
    this.addSql(
      'create table "login_failure" ("key" bytea not null, "count" int not null, "locked_until" timestamptz(3) null, "last_at" timestamptz(3) not null, primary key ("key"))',
    );
    this.addSql(
      'create table "member" ("org_id" uuid not null, "id" uuid not null, "account_id" uuid null, "email" text not null, "email_key" text not null, "role" text not null, "state" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "invitation_digest" bytea null, "invitation_expires_at" timestamptz(3) null, "invitation_mailed" boolean not null default false, "invited_by" text null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "member_account" on "member" ("account_id")');
    this.addSql('create index "member_invitation" on "member" ("invitation_digest")');
    this.addSql('alter table "member" add constraint "member_email" unique ("org_id", "email_key")');
    this.addSql('alter table "member" add constraint "member_person" unique ("org_id", "account_id")');
    this.addSql(
      'create table "one_time_token" ("digest" bytea not null, "account_id" uuid not null, "purpose" text not null, "payload" jsonb not null, "tries" int not null default 0, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("digest"))',
    );
    this.addSql('create index "one_time_token_account" on "one_time_token" ("account_id")');
    this.addSql(
      'create table "organization" ("id" uuid not null, "name" text not null, "plan" text not null default \'free\', "billing_blocked" boolean not null default false, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"))',
    );
    this.addSql(
      'create table "organization_secret" ("org_id" uuid not null, "name" text not null, "sealed" bytea not null, "created_at" timestamptz(3) not null, primary key ("org_id", "name"))',
    );
    this.addSql(
      'create table "output_schema" ("org_id" uuid not null, "id" uuid not null, "name" text not null, "description" text null, "schema" jsonb not null, "version" int not null, "enabled" boolean not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "output_schema" add constraint "output_schema_name" unique ("org_id", "name")');
    this.addSql(
      'create table "policy" ("org_id" uuid not null, "id" uuid not null, "name" text not null, "description" text null, "app_id" text not null, "agent_id" text not null, "env" text not null, "version" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "policy" add constraint "policy_name" unique ("org_id", "name")');
    this.addSql(
      'create table "policy_detector" ("org_id" uuid not null, "policy_id" uuid not null, "detector_id" text not null, primary key ("org_id", "policy_id", "detector_id"))',
    );
    this.addSql(
      'create table "policy_pack" ("org_id" uuid not null, "policy_id" uuid not null, "pack_id" text not null, "pack_version" text not null, "parameters" jsonb not null, "mode" text not null, "applied_at" timestamptz(3) not null, "document" jsonb not null, primary key ("org_id", "policy_id"))',
    );
    this.addSql(
      'create table "policy_version" ("org_id" uuid not null, "policy_id" uuid not null, "version" int not null, "document" jsonb not null, "source" text null, "message" text null, "author" text not null, "created_at" timestamptz(3) not null, primary key ("org_id", "policy_id", "version"))',
    );
    this.addSql(
      'create table "project" ("org_id" uuid not null, "id" uuid not null, "name" text not null, "description" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "project" add constraint "project_name" unique ("org_id", "name")');
    this.addSql(
      'create table "quota_lease" ("org_id" uuid not null, "id" uuid not null, "month" date not null, "project_id" uuid not null, "environment" text not null, "instance_id" uuid not null, "size" int not null, "spent" int not null default 0, "expires_at" timestamptz(3) not null, "created_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "quota_lease_month" on "quota_lease" ("org_id", "month")');
    this.addSql(
      'create table "recovery_code" ("account_id" uuid not null, "digest" bytea not null, "used_at" timestamptz(3) null, primary key ("account_id", "digest"))',
    );
    this.addSql(
      'create table "reporting_gap" ("org_id" uuid not null, "project_id" uuid not null, "environment" text not null, "instance_id" uuid not null, "first_seq" bigint not null, "reason" text not null, "last_seq" bigint not null, "count" bigint not null, "created_at" timestamptz(3) not null, primary key ("org_id", "project_id", "environment", "instance_id", "first_seq", "reason"))',
    );
    this.addSql(
      'create table "runtime_instance" ("org_id" uuid not null, "project_id" uuid not null, "environment" text not null, "id" uuid not null, "software_version" text not null, "bundle_version" int not null default 0, "activation_seq" int not null default 0, "rejection" text not null default \'\', "spool_depth" bigint not null default \'0\', "evaluations" bigint not null default \'0\', "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("org_id", "project_id", "environment", "id"))',
    );
    this.addSql(
      'create table "session" ("id" uuid not null, "account_id" uuid not null, "method" text not null, "provider_org_id" uuid null, "address" text not null, "user_agent" text not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "revoked_at" timestamptz(3) null, primary key ("id"))',
    );
    this.addSql('create index "session_account" on "session" ("account_id")');
    this.addSql(
      'create table "session_token" ("digest" bytea not null, "account_id" uuid not null, "session_id" uuid not null, "kind" text not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("digest"))',
    );
    this.addSql('create index "session_token_session" on "session_token" ("session_id")');
    this.addSql(
      'create table "signing_key" ("org_id" uuid not null, "kid" text not null, "public_jwk" jsonb not null, "private_sealed" bytea null, "state" text not null default \'active\', "created_at" timestamptz(3) not null, "retiring_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("org_id", "kid"))',
    );
    this.addSql(
      'create table "sso_configuration" ("org_id" uuid not null, "issuer" text not null, "client_id" text not null, "client_secret" bytea null, "enforced" boolean not null, "default_role" text not null, "join" text not null, "role_claim" text null, "role_mapping" jsonb not null, "sessions_since" timestamptz(3) not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id"))',
    );
    this.addSql(
      'create table "sso_domain" ("org_id" uuid not null, "id" uuid not null, "domain" text not null, "challenge" text not null, "created_at" timestamptz(3) not null, "verified_at" timestamptz(3) null, primary key ("org_id", "id"))',
    );
    this.addSql('alter table "sso_domain" add constraint "sso_domain_claim" unique ("org_id", "domain")');
    this.addSql('create unique index "sso_domain_verified" on "sso_domain" ("domain") where verified_at is not null');
    this.addSql(
      'create table "sso_identity" ("org_id" uuid not null, "issuer" text not null, "subject" text not null, "account_id" uuid not null, "created_at" timestamptz(3) not null, primary key ("org_id", "issuer", "subject"))',
    );
    this.addSql('create index "sso_identity_account" on "sso_identity" ("account_id")');
    this.addSql(
      'create table "sso_login" ("org_id" uuid not null, "state_digest" bytea not null, "holder_digest" bytea not null, "issuer" text not null, "client_id" text not null, "return_to" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("org_id", "state_digest"))',
    );
    this.addSql('create index "sso_login_state" on "sso_login" ("state_digest")');
    this.addSql('create index "sso_login_expiry" on "sso_login" ("org_id", "expires_at")');
    this.addSql(
      'create table "token" ("org_id" uuid not null, "id" uuid not null, "kind" text not null, "name" text not null, "project_id" uuid null, "environment_id" uuid null, "environment" text null, "digest" bytea not null, "previous_digest" bytea null, "previous_expires_at" timestamptz(3) null, "prefix" text not null, "created_by" text not null, "account_id" uuid null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "token_digest" on "token" ("digest")');
    this.addSql('create index "token_previous" on "token" ("previous_digest")');
    this.addSql(
      'create unique index "token_runtime" on "token" ("org_id", "project_id", "environment_id") where kind = \'runtime\' and revoked_at is null',
    );
    this.addSql(
      'create table "trace" ("org_id" uuid not null, "id" uuid not null, "created_at" timestamptz(3) not null, "project_id" uuid not null, "environment" text not null, "agent_key" text null, "session_id" text null, "user_id" text null, "stage" smallint not null, "outcome" smallint not null, "would_be_outcome" smallint not null, "decided_by_rule" text null, "decided_by_policy" text null, "bundle_version" int not null, "latency_us" int not null, "language" text null, "capture" smallint not null, "received_at" timestamptz(3) not null, "record" bytea not null, primary key ("org_id", "id", "created_at")) partition by range ("created_at")',
    );
    this.addSql('create index "trace_newest" on "trace" ("org_id", "created_at" DESC, "id")');
    this.addSql(
      'create index "trace_project" on "trace" ("org_id", "project_id", "environment", "created_at" DESC, "id")',
    );
    this.addSql(
      'create index "trace_agent" on "trace" ("org_id", "agent_key", "created_at" DESC, "id") where agent_key is not null',
    );
    this.addSql(
      'create index "trace_session" on "trace" ("org_id", "session_id", "created_at" DESC, "id") where session_id is not null',
    );
    this.addSql(
      'create index "trace_outcome" on "trace" ("org_id", "outcome", "created_at" DESC, "id") where outcome > 1',
    );
    this.addSql('create table "trace_pdefault" partition of "trace" default');
    this.addSql(
      'create table "trace_rollup" ("org_id" uuid not null, "day" date not null, "project_id" uuid not null, "environment" text not null, "agent_key" text not null, "outcome" smallint not null, "count" bigint not null, primary key ("org_id", "day", "project_id", "environment", "agent_key", "outcome"))',
    );
    this.addSql(
      'create table "trace_rule" ("org_id" uuid not null, "id" uuid not null, "created_at" timestamptz(3) not null, "rule_id" text not null, primary key ("org_id", "id", "created_at", "rule_id")) partition by range ("created_at")',
    );
    this.addSql('create index "trace_rule_newest" on "trace_rule" ("org_id", "rule_id", "created_at" DESC, "id")');
    this.addSql('create table "trace_rule_pdefault" partition of "trace_rule" default');
    this.addSql(
      'create table "usage_month" ("org_id" uuid not null, "month" date not null, "evaluations" bigint not null, "playground_evaluations" bigint not null default \'0\', "overage" bigint not null default \'0\', primary key ("org_id", "month"))',
    );
    this.addSql(
      'create table "webhook" ("org_id" uuid not null, "id" uuid not null, "url" text not null, "events" text[] not null, "is_active" boolean not null, "secret" bytea null, "previous_secret" bytea null, "previous_expires_at" timestamptz(3) null, "failing_since" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "webhook_created" on "webhook" ("org_id", "created_at")');
    this.addSql(
      'create table "webhook_attempt" ("org_id" uuid not null, "delivery_id" uuid not null, "number" int not null, "started_at" timestamptz(3) not null, "duration_ms" int not null, "status_code" int null, "error" text null, "answer" text null, primary key ("org_id", "delivery_id", "number"))',
    );
    this.addSql(
      'create table "webhook_delivery" ("org_id" uuid not null, "id" uuid not null, "webhook_id" uuid not null, "event_id" text not null, "event" text not null, "state" text not null, "attempts" int not null, "status_code" int null, "error" text null, "next_attempt_at" timestamptz(3) null, "first_attempt_at" timestamptz(3) null, "claim_id" uuid null, "claimed_until" timestamptz(3) null, "created_at" timestamptz(3) not null, "finished_at" timestamptz(3) null, primary key ("org_id", "id"))',
    );
    this.addSql('create index "webhook_delivery_created" on "webhook_delivery" ("org_id", "webhook_id", "created_at")');
    this.addSql('create index "webhook_delivery_event" on "webhook_delivery" ("org_id", "event_id")');
    this.addSql(
      'create index "webhook_delivery_next" on "webhook_delivery" ("org_id", "webhook_id", "next_attempt_at") where state = \'pending\'',
    );
    this.addSql(
      'create index "webhook_delivery_due" on "webhook_delivery" ("next_attempt_at") where state = \'pending\'',
    );
    this.addSql(
      'create index "webhook_delivery_claimed" on "webhook_delivery" ("org_id", "webhook_id") where claim_id is not null',
    );
    this.addSql(
      'create table "worker_pool" ("id" text not null, "heartbeat_at" timestamptz(3) not null, primary key ("id"))',
    );
    this.addSql('alter table "account" enable row level security');
    this.addSql('alter table "account" force row level security');
    this.addSql(
      "create policy \"account\" on \"account\" using (id = nullif(current_setting('app.account_id', true), '')::uuid) with check (id = nullif(current_setting('app.account_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "account" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "activation" enable row level security');
    this.addSql('alter table "activation" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"activation\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "activation" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "address_limit" enable row level security');
    this.addSql('alter table "address_limit" force row level security');
    this.addSql('create policy "lookup" on "address_limit" to "policy_guard_lookup" using (true) with check (true)');
    this.addSql('alter table "agent" enable row level security');
    this.addSql('alter table "agent" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"agent\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "audit_entry" enable row level security');
    this.addSql('alter table "audit_entry" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"audit_entry\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "audit_head" enable row level security');
    this.addSql('alter table "audit_head" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"audit_head\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "bundle" enable row level security');
    this.addSql('alter table "bundle" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"bundle\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "bundle_approval" enable row level security');
    this.addSql('alter table "bundle_approval" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"bundle_approval\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "bundle_part" enable row level security');
    this.addSql('alter table "bundle_part" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"bundle_part\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "candidate" enable row level security');
    this.addSql('alter table "candidate" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"candidate\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "candidate_count" enable row level security');
    this.addSql('alter table "candidate_count" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"candidate_count\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "candidate_sample" enable row level security');
    this.addSql('alter table "candidate_sample" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"candidate_sample\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "detector_backend" enable row level security');
    this.addSql('alter table "detector_backend" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"detector_backend\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "environment" enable row level security');
    this.addSql('alter table "environment" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"environment\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "evaluation_key" enable row level security');
    this.addSql('alter table "evaluation_key" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"evaluation_key\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "event" enable row level security');
    this.addSql('alter table "event" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"event\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "event" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "join_request" enable row level security');
    this.addSql('alter table "join_request" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"join_request\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "key_set" enable row level security');
    this.addSql('alter table "key_set" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"key_set\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "list" enable row level security');
    this.addSql('alter table "list" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"list\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "login_failure" enable row level security');
    this.addSql('alter table "login_failure" force row level security');
    this.addSql('create policy "lookup" on "login_failure" to "policy_guard_lookup" using (true) with check (true)');
    this.addSql('alter table "member" enable row level security');
    this.addSql('alter table "member" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"member\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "member" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "one_time_token" enable row level security');
    this.addSql('alter table "one_time_token" force row level security');
    this.addSql(
      "create policy \"account\" on \"one_time_token\" using (account_id = nullif(current_setting('app.account_id', true), '')::uuid) with check (account_id = nullif(current_setting('app.account_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "one_time_token" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "organization" enable row level security');
    this.addSql('alter table "organization" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"organization\" using (id = nullif(current_setting('app.org_id', true), '')::uuid) with check (id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "organization" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "organization_secret" enable row level security');
    this.addSql('alter table "organization_secret" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"organization_secret\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "output_schema" enable row level security');
    this.addSql('alter table "output_schema" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"output_schema\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "policy" enable row level security');
    this.addSql('alter table "policy" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"policy\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "policy_detector" enable row level security');
    this.addSql('alter table "policy_detector" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"policy_detector\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "policy_detector" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "policy_pack" enable row level security');
    this.addSql('alter table "policy_pack" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"policy_pack\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "policy_pack" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "policy_version" enable row level security');
    this.addSql('alter table "policy_version" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"policy_version\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "project" enable row level security');
    this.addSql('alter table "project" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"project\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "quota_lease" enable row level security');
    this.addSql('alter table "quota_lease" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"quota_lease\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "recovery_code" enable row level security');
    this.addSql('alter table "recovery_code" force row level security');
    this.addSql(
      "create policy \"account\" on \"recovery_code\" using (account_id = nullif(current_setting('app.account_id', true), '')::uuid) with check (account_id = nullif(current_setting('app.account_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "recovery_code" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "reporting_gap" enable row level security');
    this.addSql('alter table "reporting_gap" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"reporting_gap\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "runtime_instance" enable row level security');
    this.addSql('alter table "runtime_instance" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"runtime_instance\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "session" enable row level security');
    this.addSql('alter table "session" force row level security');
    this.addSql(
      "create policy \"account\" on \"session\" using (account_id = nullif(current_setting('app.account_id', true), '')::uuid) with check (account_id = nullif(current_setting('app.account_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "session" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "session_token" enable row level security');
    this.addSql('alter table "session_token" force row level security');
    this.addSql(
      "create policy \"account\" on \"session_token\" using (account_id = nullif(current_setting('app.account_id', true), '')::uuid) with check (account_id = nullif(current_setting('app.account_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "session_token" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "signing_key" enable row level security');
    this.addSql('alter table "signing_key" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"signing_key\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "sso_configuration" enable row level security');
    this.addSql('alter table "sso_configuration" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"sso_configuration\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "sso_configuration" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "sso_domain" enable row level security');
    this.addSql('alter table "sso_domain" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"sso_domain\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "sso_domain" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "sso_identity" enable row level security');
    this.addSql('alter table "sso_identity" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"sso_identity\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "sso_login" enable row level security');
    this.addSql('alter table "sso_login" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"sso_login\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "sso_login" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "token" enable row level security');
    this.addSql('alter table "token" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"token\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "token" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "trace" enable row level security');
    this.addSql('alter table "trace" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"trace\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "trace_rollup" enable row level security');
    this.addSql('alter table "trace_rollup" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"trace_rollup\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "trace_rule" enable row level security');
    this.addSql('alter table "trace_rule" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"trace_rule\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "usage_month" enable row level security');
    this.addSql('alter table "usage_month" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"usage_month\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "webhook" enable row level security');
    this.addSql('alter table "webhook" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"webhook\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "webhook_attempt" enable row level security');
    this.addSql('alter table "webhook_attempt" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"webhook_attempt\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('alter table "webhook_delivery" enable row level security');
    this.addSql('alter table "webhook_delivery" force row level security');
    this.addSql(
      "create policy \"tenant\" on \"webhook_delivery\" using (org_id = nullif(current_setting('app.org_id', true), '')::uuid) with check (org_id = nullif(current_setting('app.org_id', true), '')::uuid)",
    );
    this.addSql('create policy "lookup" on "webhook_delivery" for select to "policy_guard_lookup" using (true)');
    this.addSql('alter table "worker_pool" enable row level security');
    this.addSql('alter table "worker_pool" force row level security');
    this.addSql('create policy "worker" on "worker_pool" to "policy_guard_worker" using (true) with check (true)');
  }
}
