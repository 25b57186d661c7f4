// The local pages: checkout, portal and invoice, for whoever has the address. The key stands behind "#" in it and is
// the authority, so that somebody with nothing but an admin token can hand the page to whoever pays. Five wrong keys
// end a page: there is no limit by address that a guesser could spread over.

import { timingSafeEqual } from "node:crypto";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { tokenDigest } from "../../kit/crypto/token.ts";
import { Fault, linkInvalid, notFound } from "../../kit/fault/fault.ts";
import type { AuditIntent } from "../../kit/rpc/context.ts";
import { type CheckoutRow, findCheckout, lookUpCheckoutOwner } from "../../store/billing/checkout.ts";
import { type InvoiceWithLines, listInvoices, lookUpInvoiceOwner, readInvoice } from "../../store/billing/invoice.ts";
import { findSubscription } from "../../store/billing/subscription.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findOrganization, lockBilling } from "../../store/tenancy/organization.ts";
import type { BillingOptions } from "./billing.ts";
import { invoiceDocument } from "./invoice-document.ts";
import type { Plan } from "./plan.ts";
import { beginSubscription, isLive, payOpenInvoices, skipAhead, trialDaysOf } from "./subscription.ts";
import { auditView, readSummary, type Summary } from "./summary.ts";

/** Wrong keys that end a page. */
const maxWrongKeys = 5;
const shownInvoices = 50;

/** A page and its key. */
export interface PageKey {
  readonly id: string;
  readonly key: string;
}

/** What a checkout shows. */
export interface CheckoutView {
  readonly organization: string;
  readonly plan: Plan;
  readonly status: "open" | "paid";
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly expiresAt: Date;
  /** Days that it is tried out before it is paid; 0 for none. */
  readonly trialDays: number;
}

/** What the portal shows. */
export interface PortalView {
  readonly organization: string;
  readonly summary: Summary;
  readonly invoices: readonly InvoiceWithLines[];
  readonly paymentFails: boolean;
  readonly returnUrl: string | null;
}

/** What a person may do in the portal. */
export type PortalAction = "pay_invoices" | "decline_payments" | "accept_payments" | "skip_ahead";

/** Serves the local pages. Where nothing is sold there are none. */
export class LocalPages {
  readonly #database: Database;
  readonly #options: BillingOptions;

  constructor(database: Database, options: BillingOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** What the checkout shows. */
  viewCheckout(page: PageKey): Promise<CheckoutView> {
    return this.#within(page, "checkout", undefined, async (tx, row) => {
      if (row.plan == null || row.status === "ended") throw linkInvalid();
      return {
        organization: (await findOrganization(tx)).name,
        plan: row.plan,
        status: row.status,
        successUrl: row.successUrl ?? null,
        cancelUrl: row.cancelUrl ?? null,
        expiresAt: row.expiresAt,
        trialDays: await trialDaysOf(tx, this.#options),
      };
    });
  }

  /** Pays or declines. A declined payment changes nothing. */
  confirm(page: PageKey, result: "paid" | "declined", audit: AuditIntent): Promise<"paid" | "declined"> {
    return this.#within(page, "checkout", audit, async (tx, row) => {
      if (row.plan == null || row.status !== "open") throw linkInvalid();
      const before = auditView(await readSummary(tx));
      if (result === "paid") {
        // Another way to a plan may have been quicker.
        if (isLive(await findSubscription(tx))) throw linkInvalid();
        row.status = "paid";
        await beginSubscription(tx, row.plan, this.#options);
      }
      const after = { ...auditView(await readSummary(tx)), payment: result };
      tx.changed({ resource: `checkout/${row.id}`, before, after });
      return result;
    });
  }

  /** What the portal shows. */
  viewPortal(page: PageKey): Promise<PortalView> {
    return this.#within(page, "portal", undefined, portalView);
  }

  /** Does one thing, and returns what the portal shows afterwards. */
  act(page: PageKey, action: PortalAction, audit: AuditIntent): Promise<PortalView> {
    return this.#within(page, "portal", audit, async (tx, row) => {
      const before = auditView(await readSummary(tx));
      if (action === "pay_invoices") {
        if ((await payOpenInvoices(tx, this.#options)) === 0)
          throw new Fault(Reason.CONFLICT, "there is no open invoice");
      } else if (action === "skip_ahead") {
        if (!(await skipAhead(tx, this.#options)))
          throw new Fault(Reason.CONFLICT, "nothing is going to happen by itself");
      } else {
        const subscription = await findSubscription(tx);
        if (subscription !== null) subscription.paymentFails = action === "decline_payments";
      }
      const view = await portalView(tx, row);
      tx.changed({ resource: `portal/${row.id}`, before, after: { ...auditView(view.summary), action } });
      return view;
    });
  }

  /** The document of an invoice. */
  async viewInvoice({ id, key }: PageKey): Promise<string> {
    const orgId = await lookUpInvoiceOwner(this.#database, id);
    if (orgId === undefined) throw linkInvalid();
    return this.#database.read(orgId, async (tx) => {
      const found = await readInvoice(tx, id);
      // Invoices of others have no local page.
      if (found?.invoice.pageKey == null || !isSame(tokenDigest(found.invoice.pageKey), key)) throw linkInvalid();
      return invoiceDocument(found, await findOrganization(tx));
    });
  }

  async #within<T>(
    { id, key }: PageKey,
    kind: CheckoutRow["kind"],
    audit: AuditIntent | undefined,
    work: (tx: Transaction, row: CheckoutRow) => Promise<T>,
  ): Promise<T> {
    if (this.#options.mode !== "stub") throw notFound(kind);
    const orgId = await lookUpCheckoutOwner(this.#database, id);
    if (orgId === undefined) throw linkInvalid();
    const label = `${kind} page`;
    const intent = audit ?? { action: "", requestId: "", address: "" };
    const author = { orgId, credential: { id: `${kind}/${id}`, label }, audit: intent };
    // A wrong key is counted, so the transaction commits before it is refused.
    const result = await this.#database.transaction(author, async (tx) => {
      await lockBilling(tx);
      const row = await findCheckout(tx, id);
      if (row === null || row.kind !== kind || row.expiresAt <= tx.now) return undefined;
      if (row.wrongKeys >= maxWrongKeys) return undefined;
      if (!isSame(row.keyDigest, key)) {
        row.wrongKeys += 1;
        if (row.wrongKeys >= maxWrongKeys && row.status === "open") row.status = "ended";
        return undefined;
      }
      return { value: await work(tx, row) };
    });
    if (result === undefined) throw linkInvalid();
    return result.value;
  }
}

async function portalView(tx: Transaction, { successUrl }: CheckoutRow): Promise<PortalView> {
  const summary = await readSummary(tx);
  const [invoices] = await listInvoices(tx, { limit: shownInvoices, offset: 0 });
  return {
    organization: (await findOrganization(tx)).name,
    summary,
    invoices,
    paymentFails: (await findSubscription(tx))?.paymentFails ?? false,
    returnUrl: successUrl ?? null,
  };
}

function isSame(digest: Uint8Array, key: string): boolean {
  return timingSafeEqual(digest, tokenDigest(key));
}
