// Foreign keys. All but those to organization and account start with org_id on both sides, so that no row can point
// into another organization and the schema can be distributed by org_id. MikroORM cannot share a column between a key
// and a relation, so they are listed here and kept in step by `migrateDatabase`.

/** One foreign key. */
export interface ForeignKey {
  readonly table: string;
  readonly columns: readonly string[];
  readonly references: string;
  readonly referenced: readonly string[];
}

/** Every foreign key of the schema. Deleting a row deletes what belongs to it. */
export const foreignKeys: readonly ForeignKey[] = [
  toOrganization("project"),
  toProject("environment"),
  toProject("agent"),
  toOrganization("token"),
  toProject("token"),
  toEnvironment("token"),
  toAccount("session"),
  { table: "session", columns: ["provider_org_id"], references: "organization", referenced: ["id"] },
  toAccount("session_token"),
  { table: "session_token", columns: ["session_id"], references: "session", referenced: ["id"] },
  toAccount("recovery_code"),
  toOrganization("member"),
  toAccount("member"),
  toOrganization("join_request"),
  toAccount("join_request"),
  toOrganization("sso_configuration"),
  toOrganization("sso_domain"),
  toOrganization("sso_login"),
  toOrganization("sso_identity"),
  toAccount("sso_identity"),
  toMember("scim_user"),
  {
    table: "scim_user_address",
    columns: ["org_id", "member_id"],
    references: "scim_user",
    referenced: ["org_id", "member_id"],
  },
  toOrganization("scim_group"),
  {
    table: "scim_group_member",
    columns: ["org_id", "group_id"],
    references: "scim_group",
    referenced: ["org_id", "id"],
  },
  toMember("scim_group_member"),
  toOrganization("scim_setting"),
  toOrganization("alert_rule"),
  toAlertRule("alert_group"),
  toAlertRule("alert"),
  // A one-time token may be for an account that does not exist yet.
  toOrganization("audit_head"),
  toOrganization("audit_entry"),
  toOrganization("audit_log"),
  toOrganization("audit_tile"),
  toOrganization("audit_checkpoint"),
  toOrganization("audit_epoch"),
  { table: "audit_opening", columns: ["org_id", "seq"], references: "audit_entry", referenced: ["org_id", "seq"] },
  toOrganization("policy"),
  {
    table: "policy_version",
    columns: ["org_id", "policy_id"],
    references: "policy",
    referenced: ["org_id", "id"],
  },
  { table: "policy_detector", columns: ["org_id", "policy_id"], references: "policy", referenced: ["org_id", "id"] },
  { table: "policy_pack", columns: ["org_id", "policy_id"], references: "policy", referenced: ["org_id", "id"] },
  toOrganization("list"),
  toOrganization("output_schema"),
  toOrganization("detector_backend"),
  toOrganization("enabled_language"),
  toOrganization("custom_keywords"),
  toEnvironment("bundle"),
  toOrganization("bundle_part"),
  toEnvironment("activation"),
  toEnvironment("bundle_approval"),
  toEnvironment("candidate"),
  toEnvironment("rule_override"),
  toEnvironment("candidate_count"),
  toEnvironment("candidate_sample"),
  toEnvironment("gate_set"),
  toOrganization("gate_content"),
  // A result outlives its run.
  toEnvironment("gate_result"),
  toOrganization("signing_key"),
  toOrganization("key_set"),
  toOrganization("organization_secret"),
  toOrganization("erased_subject"),
  toOrganization("run"),
  toOrganization("dataset"),
  { table: "dataset_version", columns: ["org_id", "dataset_id"], references: "dataset", referenced: ["org_id", "id"] },
  { table: "dataset_import", columns: ["org_id", "dataset_id"], references: "dataset", referenced: ["org_id", "id"] },
  // Samples are too many to go with their dataset in one transaction.
  toOrganization("dataset_sample"),
  toOrganization("dataset_subject"),
  toProject("annotation"),
  toProject("annotation_verdict"),
  toProject("annotation_setting"),
  toProject("annotation_rate"),
  toProject("annotation_queue"),
  { table: "benchmark_baseline", columns: ["org_id", "run_id"], references: "run", referenced: ["org_id", "id"] },
  toProject("benchmark_baseline"),
  { table: "benchmark_result", columns: ["org_id", "run_id"], references: "run", referenced: ["org_id", "id"] },
  { table: "replay_result", columns: ["org_id", "run_id"], references: "run", referenced: ["org_id", "id"] },
  toOrganization("usage_month"),
  toOrganization("usage_notice"),
  toOrganization("subscription"),
  toOrganization("checkout"),
  toOrganization("invoice"),
  { table: "invoice_line", columns: ["org_id", "invoice_id"], references: "invoice", referenced: ["org_id", "id"] },
  toOrganization("billing_notice"),
  toOrganization("billing_intent"),
  toOrganization("provider_event"),
  toEnvironmentByName("quota_lease"),
  toEnvironmentByName("runtime_instance"),
  toEnvironmentByName("reporting_gap"),
  toEnvironmentByName("report_boot"),
  // Traces, their facets, texts, keys and counts have none: a check for each row would cost more than the insert. An
  // ingest locks its environment instead, and the traces of what is deleted are purged by a job.
  toOrganization("webhook"),
  toOrganization("event"),
  {
    table: "webhook_delivery",
    columns: ["org_id", "webhook_id"],
    references: "webhook",
    referenced: ["org_id", "id"],
  },
  { table: "webhook_delivery", columns: ["org_id", "event_id"], references: "event", referenced: ["org_id", "id"] },
  {
    table: "webhook_attempt",
    columns: ["org_id", "delivery_id"],
    references: "webhook_delivery",
    referenced: ["org_id", "id"],
  },
];

function toMember(table: string): ForeignKey {
  return { table, columns: ["org_id", "member_id"], references: "member", referenced: ["org_id", "id"] };
}

function toAlertRule(table: string): ForeignKey {
  return { table, columns: ["org_id", "rule_id"], references: "alert_rule", referenced: ["org_id", "id"] };
}

function toOrganization(table: string): ForeignKey {
  return { table, columns: ["org_id"], references: "organization", referenced: ["id"] };
}

function toAccount(table: string): ForeignKey {
  return { table, columns: ["account_id"], references: "account", referenced: ["id"] };
}

function toProject(table: string): ForeignKey {
  return { table, columns: ["org_id", "project_id"], references: "project", referenced: ["org_id", "id"] };
}

function toEnvironment(table: string): ForeignKey {
  return { table, columns: ["org_id", "environment_id"], references: "environment", referenced: ["org_id", "id"] };
}

function toEnvironmentByName(table: string): ForeignKey {
  const columns = ["org_id", "project_id", "environment"];
  return { table, columns, references: "environment", referenced: ["org_id", "project_id", "name"] };
}

/** The constraint's name. */
export function foreignKeyName({ table, columns }: ForeignKey): string {
  return `${table}_${columns.at(-1)}_fk`;
}

/**
 * SQL that adds the key, one statement after the other: the first locks both tables for a moment, and the second, which
 * reads the rows that are there, lets others write meanwhile.
 */
export function addForeignKeySql(key: ForeignKey): string[] {
  const columns = key.columns.join(", ");
  const referenced = key.referenced.join(", ");
  const name = foreignKeyName(key);
  return [
    `alter table ${key.table} add constraint ${name}
      foreign key (${columns}) references ${key.references} (${referenced}) on delete cascade not valid`,
    `alter table ${key.table} validate constraint ${name}`,
  ];
}
