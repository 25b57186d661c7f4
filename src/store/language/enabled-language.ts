import { defineEntity, p } from "@mikro-orm/core";
import { lookupTenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";

const schema = defineEntity({
  name: "EnabledLanguage",
  tableName: "enabled_language",
  ...lookupTenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Canonical tag. */
    language: p.text().primary(),
    /** The enabled categories; null for all of the pack's, those of later versions included. */
    categories: p.json<readonly string[]>().nullable(),
    enabledAt: p.datetime(3),
    enabledBy: p.text(),
  },
});

/** A language pack that an organization has enabled. */
export class EnabledLanguageRow extends schema.class {}
schema.setClass(EnabledLanguageRow);

/** The languages that are enabled, by tag. */
export function enabledLanguages(tx: Transaction): Promise<EnabledLanguageRow[]> {
  return tx.em.find(EnabledLanguageRow, { orgId: tx.orgId }, { orderBy: { language: "asc" } });
}

/** The language, or null when it is not enabled. Changes of one organization's languages wait for the commit. */
export async function lockEnabledLanguage(tx: Transaction, language: string): Promise<EnabledLanguageRow | null> {
  await lockLanguages(tx);
  return tx.em.findOne(EnabledLanguageRow, { orgId: tx.orgId, language });
}

/** Disables the language. */
export async function deleteEnabledLanguage(tx: Transaction, language: string): Promise<void> {
  await tx.em.nativeDelete(EnabledLanguageRow, { orgId: tx.orgId, language });
}

/** Holds back others who change languages or keywords of the organization, until the commit. */
export async function lockLanguages(tx: Transaction): Promise<void> {
  await tx.sql("select id from organization where id = ? for no key update", [tx.orgId]);
}

/** How many organizations have enabled each language; languages that nobody uses are absent. */
export async function countLanguageInstalls(database: Lookups): Promise<ReadonlyMap<string, number>> {
  const rows = await database.lookup<{ language: string; organizations: number }>("count_language_installs", []);
  return new Map(rows.map((row) => [row.language, row.organizations]));
}
