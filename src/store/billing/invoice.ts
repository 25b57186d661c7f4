import { defineEntity, p } from "@mikro-orm/core";
import { newId } from "../../kit/process/id.ts";
import { lookupTenantTable, tenantTable } from "../core/tenant.ts";
import type { Lookups, Transaction } from "../core/transaction.ts";
import type { BillingProvider } from "./subscription.ts";

/** How an invoice stands. */
export type InvoiceStatus = "draft" | "open" | "paid" | "void" | "uncollectible";

const schema = defineEntity({
  name: "Invoice",
  tableName: "invoice",
  ...lookupTenantTable,
  uniques: [
    { name: "invoice_number", properties: ["orgId", "number"] },
    { name: "invoice_provider", properties: ["orgId", "providerId"] },
  ],
  properties: {
    orgId: p.uuid().primary(),
    id: p.uuid().primary(),
    number: p.text(),
    status: p.text().$type<InvoiceStatus>(),
    currency: p.text(),
    subtotalMinor: p.integer(),
    totalMinor: p.integer(),
    amountDueMinor: p.integer(),
    periodStart: p.datetime(3),
    periodEnd: p.datetime(3),
    issuedAt: p.datetime(3).nullable(),
    dueAt: p.datetime(3).nullable(),
    paidAt: p.datetime(3).nullable(),
    provider: p.text().$type<BillingProvider>(),
    /** What opens the local page; null for invoices of others. Whoever reads this row may read the invoice anyway. */
    pageKey: p.text().nullable(),
    /** The provider's id, and its page. */
    providerId: p.text().nullable(),
    hostedUrl: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});

/** One bill. */
export class InvoiceRow extends schema.class {}
schema.setClass(InvoiceRow);

const lineSchema = defineEntity({
  name: "InvoiceLine",
  tableName: "invoice_line",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    invoiceId: p.uuid().primary(),
    position: p.smallint().primary(),
    description: p.text(),
    quantity: p.integer(),
    amountMinor: p.integer(),
    isProration: p.boolean(),
  },
});

/** One item of a bill. */
export class InvoiceLineRow extends lineSchema.class {}
lineSchema.setClass(InvoiceLineRow);

/** An item before it is stored. */
export type NewLine = Pick<InvoiceLineRow, "description" | "quantity" | "amountMinor" | "isProration">;

/** A bill with its items. */
export interface InvoiceWithLines {
  readonly invoice: InvoiceRow;
  readonly lines: readonly InvoiceLineRow[];
}

/** How many invoices the local pages have made; their numbers have no gap. Call it after `lockBilling`. */
export function countStubInvoices(tx: Transaction): Promise<number> {
  return tx.em.count(InvoiceRow, { orgId: tx.orgId, provider: "stub" });
}

/** Adds an invoice with its lines. */
export async function addInvoice(tx: Transaction, facts: NewInvoice, lines: readonly NewLine[]): Promise<InvoiceRow> {
  const invoice = tx.em.create(InvoiceRow, { createdAt: tx.now, ...facts, orgId: tx.orgId, id: newId() });
  await tx.em.flush();
  addLines(tx, invoice.id, lines);
  await tx.em.flush();
  return invoice;
}

interface SymbolOnly {
  readonly [key: symbol]: never;
}

/** A bill before it is stored. */
export type NewInvoice = Omit<
  InvoiceRow,
  "orgId" | "id" | "createdAt" | "providerId" | "hostedUrl" | "pageKey" | keyof SymbolOnly
> &
  Partial<Pick<InvoiceRow, "createdAt" | "providerId" | "hostedUrl" | "pageKey">>;

/** Writes what the provider says of an invoice. Its lines never change. */
export async function putInvoice(
  tx: Transaction,
  facts: NewInvoice & { readonly providerId: string },
  lines: readonly NewLine[],
): Promise<void> {
  const known = await tx.em.findOne(InvoiceRow, { orgId: tx.orgId, providerId: facts.providerId });
  if (known === null) await addInvoice(tx, facts, lines);
  else tx.em.assign(known, facts);
}

/** Adds lines to a stored invoice. */
export function addLines(tx: Transaction, invoiceId: string, lines: readonly NewLine[]): void {
  lines.forEach((line, position) => {
    tx.em.create(InvoiceLineRow, { ...line, orgId: tx.orgId, invoiceId, position });
  });
}

/** The invoices that are not paid yet, oldest first. */
export function listOpenInvoices(tx: Transaction): Promise<InvoiceRow[]> {
  return tx.em.find(
    InvoiceRow,
    { orgId: tx.orgId, status: { $in: ["open", "uncollectible"] } },
    { orderBy: { createdAt: "asc", id: "asc" } },
  );
}

/** A page of the invoices, newest first, and how many there are. */
export async function listInvoices(
  tx: Transaction,
  { status, limit, offset }: { readonly status?: InvoiceStatus; readonly limit: number; readonly offset: number },
): Promise<[InvoiceWithLines[], number]> {
  const where = { orgId: tx.orgId, ...(status !== undefined && { status }) };
  const [invoices, total] = await tx.em.findAndCount(InvoiceRow, where, {
    orderBy: { createdAt: "desc", number: "desc" },
    limit,
    offset,
  });
  return [await withLines(tx, invoices), total];
}

/** One invoice; undefined when there is none. */
export async function readInvoice(tx: Transaction, id: string): Promise<InvoiceWithLines | undefined> {
  const invoice = await tx.em.findOne(InvoiceRow, { orgId: tx.orgId, id });
  return invoice === null ? undefined : (await withLines(tx, [invoice]))[0];
}

async function withLines(tx: Transaction, invoices: readonly InvoiceRow[]): Promise<InvoiceWithLines[]> {
  if (invoices.length === 0) return [];
  const ids = invoices.map(({ id }) => id);
  const lines = await tx.em.find(
    InvoiceLineRow,
    { orgId: tx.orgId, invoiceId: { $in: ids } },
    { orderBy: { position: "asc" } },
  );
  return invoices.map((invoice) => ({
    invoice,
    lines: lines.filter(({ invoiceId }) => invoiceId === invoice.id),
  }));
}

/** The organization that an invoice belongs to; undefined when there is none of this id. */
export async function lookUpInvoiceOwner(database: Lookups, id: string): Promise<string | undefined> {
  const rows = await database.lookup<{ org_id: string }>("find_invoice", [id]);
  return rows[0]?.org_id;
}
