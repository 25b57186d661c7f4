// An invoice as a page of HTML, with styles for printing. Whatever a customer wrote is escaped, and the page needs no
// script: its policy allows nothing but its own style.

import { createHash } from "node:crypto";
import { Html, html } from "../../kit/net/html.ts";
import type { InvoiceWithLines } from "../../store/billing/invoice.ts";
import { dayOf } from "../telemetry/trace-tally.ts";
import { shownAmount } from "./price.ts";

/** The style of the document; the page that shows one to whoever has its key carries the same. */
export const invoiceStyle = `
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 46rem; padding: 40px 24px; color: #1b1f24; background: #fff; font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header { display: flex; justify-content: space-between; gap: 24px; align-items: start; border-bottom: 2px solid #1b1f24; padding-bottom: 16px; }
h1 { margin: 0; font-size: 1.7rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 24px 0; }
dt { color: #5b6470; } dd { margin: 0; }
table { width: 100%; border-collapse: collapse; margin: 24px 0; }
th, td { padding: 10px 0; text-align: left; border-bottom: 1px solid #d9dde3; }
th { color: #5b6470; font-weight: 500; font-size: 0.85rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 16px; }
tfoot td { border: 0; } tfoot tr:last-child td { font-weight: 700; font-size: 1.1rem; border-top: 2px solid #1b1f24; }
.state { display: inline-block; padding: 3px 12px; border-radius: 99px; font-weight: 600; font-size: 0.85rem; background: #f4f5f7; text-transform: capitalize; }
.paid { color: #13652c; background: #dff3e4; } .open, .uncollectible { color: #8a1f16; background: #fde5e2; }
.note { color: #5b6470; font-size: 0.85rem; }
@media print { body { padding: 0; max-width: none; } .state { border: 1px solid; } }
`;

/** The policy that the document is served with. */
export const invoicePolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(invoiceStyle).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox`;

/** The page of an invoice of this organization. */
export function invoiceDocument({ invoice, lines }: InvoiceWithLines, { name }: { readonly name: string }): string {
  const { number, status, currency, subtotalMinor, totalMinor, amountDueMinor } = invoice;
  const amount = (minor: number) => shownAmount(minor, currency);
  const facts: [string, string][] = [
    ["Billed to", name],
    ["Period", `${dayOf(invoice.periodStart)} to ${dayOf(invoice.periodEnd)}`],
    ...day("Issued", invoice.issuedAt),
    ...day("Due", status === "paid" ? null : invoice.dueAt),
    ...day("Paid", invoice.paidAt),
  ];
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Invoice ${number}</title><style>${new Html(invoiceStyle)}</style></head>
<body><header><div><h1>Invoice</h1><p class="note">${number}</p></div><span class="state ${status}">${status}</span></header>
<dl>${facts.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>
<table><thead><tr><th>Description</th><th class="n">Quantity</th><th class="n">Amount</th></tr></thead>
<tbody>${lines.map(
    ({ description, quantity, amountMinor }) =>
      html`<tr><td>${description}</td><td class="n">${quantity}</td><td class="n">${amount(amountMinor)}</td></tr>`,
  )}</tbody>
<tfoot><tr><td colspan="2" class="n">Subtotal</td><td class="n">${amount(subtotalMinor)}</td></tr>
<tr><td colspan="2" class="n">Total</td><td class="n">${amount(totalMinor)}</td></tr>
<tr><td colspan="2" class="n">Amount due</td><td class="n">${amount(amountDueMinor)}</td></tr></tfoot></table>
<p class="note">Tax and VAT numbers are not part of this document.${
    invoice.provider === "stub" ? " It was made by the local pages of this installation: no money was taken." : ""
  }</p></body></html>
`.text;
}

function day(term: string, date: Date | null | undefined): [string, string][] {
  return date == null ? [] : [[term, dayOf(date)]];
}
