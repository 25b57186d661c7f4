import { defineEntity, p } from "@mikro-orm/core";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

/** A word or phrase of an organization's own. */
export interface StoredKeyword {
  readonly term: string;
  readonly category: string;
  readonly match: "word" | "stem" | "substring";
  readonly score: number;
  readonly unless: readonly string[];
}

const schema = defineEntity({
  name: "CustomKeywords",
  tableName: "custom_keywords",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    /** Canonical tag. */
    language: p.text().primary(),
    revision: p.integer(),
    keywords: p.json<readonly StoredKeyword[]>(),
    /** Phrases within which nothing is found. */
    allow: p.json<readonly string[]>(),
    /** Counted here, so that the total of an organization costs no reading of its keywords. */
    keywordCount: p.integer(),
    updatedAt: p.datetime(3),
    updatedBy: p.text(),
  },
});

/** An organization's own keywords in one language. */
export class CustomKeywordsRow extends schema.class {}
schema.setClass(CustomKeywordsRow);

/** The keywords, or null before they are first saved. */
export function findCustomKeywords(tx: Transaction, language: string): Promise<CustomKeywordsRow | null> {
  return tx.em.findOne(CustomKeywordsRow, { orgId: tx.orgId, language });
}

/** The keywords of these languages. */
export function customKeywordsOf(tx: Transaction, languages: readonly string[]): Promise<CustomKeywordsRow[]> {
  return tx.em.find(CustomKeywordsRow, { orgId: tx.orgId, language: { $in: [...languages] } });
}

/** How many keywords there are by language. */
export async function customKeywordCounts(tx: Transaction): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.sql<{ language: string; count: number }>(
    "select language, keyword_count as count from custom_keywords where org_id = ?",
    [tx.orgId],
  );
  return new Map(rows.map(({ language, count }) => [language, count]));
}
