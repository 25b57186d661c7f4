import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { chunksOf, idArray, runBound } from "../core/bulk.ts";
import { containsIn } from "../core/substring.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

const policySchema = defineEntity({
  name: "Policy",
  tableName: "policy",
  ...tenantTable,
  uniques: [{ name: "policy_name", properties: ["orgId", "name"] }],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    description: p.text().nullable(),
    /** Scope without the tenant, which is the organization; "*" for all. */
    appId: p.text(),
    agentId: p.text(),
    env: p.text(),
    version: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** A guard policy; its documents are in PolicyVersionRow. */
export class PolicyRow extends policySchema.class {}
policySchema.setClass(PolicyRow);

const versionSchema = defineEntity({
  name: "PolicyVersion",
  tableName: "policy_version",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    policyId: p.uuid().primary(),
    version: p.integer().primary(),
    document: p.json<JsonObject>(),
    /** The document as it was written; null when it came as JSON. */
    source: p.text().nullable(),
    message: p.text().nullable(),
    author: p.text(),
    createdAt: p.datetime(3),
  },
});

/** One immutable version of a policy. */
export class PolicyVersionRow extends versionSchema.class {}
versionSchema.setClass(PolicyVersionRow);

/** A policy with its newest document. */
export interface CurrentPolicy {
  readonly policy: PolicyRow;
  readonly current: PolicyVersionRow;
}

/** The policy with its newest document, or null when the organization has none with this id. */
export async function findPolicy(tx: Transaction, id: string): Promise<CurrentPolicy | null> {
  const policy = await tx.em.findOne(PolicyRow, { orgId: tx.orgId, id });
  if (policy === null) return null;
  return { policy, current: await findVersion(tx, policy) };
}

/** The same, locked until the commit: updates of one policy happen one after the other. */
export async function lockPolicy(tx: Transaction, id: string): Promise<CurrentPolicy | null> {
  await tx.sql("select id from policy where org_id = ? and id = ? for no key update", [tx.orgId, id]);
  return findPolicy(tx, id);
}

/** Which policies a list has. */
export interface PolicyFilter {
  /** Those of these scopes. */
  readonly appIds?: readonly string[] | undefined;
  /** The one of this name. */
  readonly name?: string | undefined;
  /** Those with this in their name or description. */
  readonly query?: string | undefined;
}

/** A page of policies, newest first, and their count. */
export function listPolicies(
  tx: Transaction,
  page: Page,
  { appIds, name, query }: PolicyFilter,
): Promise<[PolicyRow[], number]> {
  const where = {
    orgId: tx.orgId,
    ...(appIds === undefined ? {} : { appId: { $in: [...appIds] } }),
    ...(name === undefined ? {} : { name }),
    ...containsIn(query, "name", "description"),
  };
  return tx.em.findAndCount(PolicyRow, where, { ...page, orderBy: { createdAt: "desc", id: "asc" } });
}

/** How many rules the newest versions of these policies have, by the policy's id. */
export async function countRules(
  tx: Transaction,
  heads: readonly Pick<PolicyRow, "id" | "version">[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await runBound<{ policyId: string; rules: number }>(
    tx,
    `select v.policy_id as "policyId", coalesce(jsonb_array_length(v.document->'rules'), 0) as rules
     from policy_version v
     join unnest($2::uuid[], $3::int[]) wanted (policy_id, version) using (policy_id, version)
     where v.org_id = $1`,
    [tx.orgId, heads.map(({ id }) => id), heads.map(({ version }) => version)],
  );
  return new Map(rows.map(({ policyId, rules }) => [policyId, rules]));
}

/** An environment whose active bundle contains a policy. */
export interface PolicyPlace {
  readonly policy_id: string;
  readonly version: number;
  readonly project_id: string;
  readonly environment: string;
  readonly bundle_version: number;
}

const placesText = `
  select p.policy_id, p.version, b.project_id, b.environment, b.version as bundle_version
  from environment e
  join bundle b on b.org_id = e.org_id and b.environment_id = e.id and b.version = e.active_version
  cross join lateral jsonb_to_recordset(b.policies) as p(policy_id uuid, version integer)
  where e.org_id = ? and p.policy_id = any(?::uuid[]) and (?::uuid is null or e.project_id = ?)
  order by b.project_id, e.position`;

/** Where these policies are active; in one project when it is given. */
export function listPolicyPlaces(
  tx: Transaction,
  policyIds: readonly string[],
  projectId: string | undefined,
): Promise<PolicyPlace[]> {
  return tx.sql(placesText, [tx.orgId, idArray(policyIds), projectId ?? null, projectId ?? null]);
}

/** The policy of this name, or null. */
export async function findPolicyByName(tx: Transaction, name: string): Promise<CurrentPolicy | null> {
  const policy = await tx.em.findOne(PolicyRow, { orgId: tx.orgId, name });
  return policy === null ? null : { policy, current: await findVersion(tx, policy) };
}

/** The version, or null when the policy has none with this number. */
export function findPolicyVersion(
  tx: Transaction,
  policyId: string,
  version: number,
): Promise<PolicyVersionRow | null> {
  return tx.em.findOne(PolicyVersionRow, { orgId: tx.orgId, policyId, version });
}

/** A page of versions, newest first, and their count. */
export function listPolicyVersions(
  tx: Transaction,
  policyId: string,
  page: Page,
): Promise<[PolicyVersionRow[], number]> {
  const where = { orgId: tx.orgId, policyId };
  // A page of documents may have megabytes, so MikroORM must not keep a second copy of each to find changes.
  return tx.em.findAndCount(PolicyVersionRow, where, {
    ...page,
    orderBy: { version: "desc" },
    disableIdentityMap: true,
  });
}

/** A policy without its document. */
export interface PolicyHead {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly appId: string;
  readonly agentId: string;
  readonly env: string;
}

/** Every policy that may apply to the project, in the order of their names. */
export function policyHeadsOfProject(tx: Transaction, projectId: string): Promise<PolicyHead[]> {
  return tx.sql<PolicyHead>(
    `select id, name, version, app_id as "appId", agent_id as "agentId", env from policy
     where org_id = ? and app_id in ('*', ?) order by name`,
    [tx.orgId, projectId],
  );
}

/** How many documents one statement reads: other calls run between two statements. */
const documentsAtOnce = 16;

/**
 * The newest documents of these policies as JSON texts. Parsing is left to the caller, who may do it in another
 * process.
 */
export async function* documentTexts(
  tx: Transaction,
  heads: readonly PolicyHead[],
): AsyncGenerator<{ readonly head: PolicyHead; readonly text: string }> {
  for (const some of chunksOf(heads, documentsAtOnce)) {
    const rows = await runBound<{ policyId: string; text: string }>(
      tx,
      `select v.policy_id as "policyId", v.document::text as text
       from policy_version v
       join unnest($2::uuid[], $3::int[]) wanted (policy_id, version) using (policy_id, version)
       where v.org_id = $1`,
      [tx.orgId, some.map(({ id }) => id), some.map(({ version }) => version)],
    );
    const texts = new Map(rows.map(({ policyId, text }) => [policyId, text]));
    for (const head of some) {
      const text = texts.get(head.id);
      if (text !== undefined) yield { head, text };
    }
  }
}

/** Deletes the policy with its versions. */
export async function deletePolicy(tx: Transaction, id: string): Promise<void> {
  await tx.em.nativeDelete(PolicyRow, { orgId: tx.orgId, id });
}

function findVersion(tx: Transaction, policy: PolicyRow): Promise<PolicyVersionRow> {
  return tx.em.findOneOrFail(PolicyVersionRow, { orgId: tx.orgId, policyId: policy.id, version: policy.version });
}
