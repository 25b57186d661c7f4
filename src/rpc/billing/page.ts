// The local pages of checkout, portal and invoice: static pages that ask the API with the key that stands behind "#" in
// their address. Each carries one style and one script, and its policy allows nothing else.

import { createHash } from "node:crypto";
import { invoiceStyle } from "../../domain/billing/invoice-document.ts";
import { Html, html } from "../../kit/net/html.ts";

/** A page and the policy that it is served with. */
export interface LocalPage {
  readonly path: string;
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

const style = `
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #f4f5f7; --card: #fff; --line: #d9dde3; --dim: #5b6470; --go: #1a7f37; --stop: #b3261e; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --fg: #e4e7eb; --bg: #14171b; --card: #1d2126; --line: #343a42; --dim: #9aa4b0; --go: #2e9e4f; --stop: #e5534b; --link: #7cb7ff; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; color: var(--fg); background: var(--bg); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 0 auto; padding: 48px 16px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 28px; margin-bottom: 16px; }
.brand { color: var(--dim); font-weight: 600; margin: 0 0 12px; }
h1 { margin: 0 0 4px; font-size: 1.5rem; } h2 { font-size: 1.05rem; margin: 0 0 12px; }
.price { font-size: 2.2rem; font-weight: 700; margin: 16px 0 0; font-variant-numeric: tabular-nums; }
.note { color: var(--dim); font-size: 0.9rem; }
.warn { border-left: 4px solid #b98900; padding-left: 12px; }
ul { padding-left: 20px; margin: 12px 0; }
button, .button { display: block; width: 100%; padding: 12px 16px; margin: 10px 0 0; border: 1px solid var(--line); border-radius: 8px; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; color: var(--fg); background: var(--card); }
button.go { color: #fff; background: var(--go); border-color: var(--go); } button.stop { color: var(--stop); }
button:disabled { opacity: 0.6; cursor: wait; }
a { color: var(--link); }
table { width: 100%; border-collapse: collapse; font-size: 0.95rem; } th, td { text-align: left; padding: 8px 8px 8px 0; border-bottom: 1px solid var(--line); } th { color: var(--dim); font-weight: 500; }
.n { text-align: right; white-space: nowrap; padding-right: 0; font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 0; } dt { color: var(--dim); } dd { margin: 0; }
.bad { color: var(--stop); font-weight: 600; } .good { color: var(--go); font-weight: 600; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
[hidden] { display: none !important; }
`;

// Text reaches the page as text nodes only: nothing that a customer wrote is ever parsed as HTML.
const common = `
const id = location.pathname.split("/").pop();
const key = location.hash.slice(1);
const root = document.getElementById("root");
const el = (tag, props, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
const ask = async (path, body) => {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ key, ...body }) });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.detail?.message ?? "The server did not answer as expected.");
  return answer;
};
const amount = (minor, currency) => (minor / 100).toFixed(2) + " " + currency;
const day = (text) => (text ?? "").slice(0, 10);
const show = (...nodes) => root.replaceChildren(...nodes.filter((node) => node !== null));
// After a button: what it changed is read out, and the keyboard goes on from there.
const announce = () => {
  const heading = root.querySelector("h1");
  heading.tabIndex = -1;
  heading.focus();
};
const fail = (error) => show(el("section", { className: "card", role: "alert" }, el("h1", {}, "This does not work"), el("p", {}, error.message)));
const stand = () => el("p", { className: "note warn" }, "No payment provider is configured: this page stands in for one, and no money is taken.");
`;

const checkoutScript = `${common}
const done = (view, words) => {
  show(el("section", { className: "card", role: "status" }, el("h1", { className: "good" }, words), el("p", {}, view.organization + " has the plan " + view.plan.display_name + " from now on. You can close this page.")));
  if (view.success_url) location.assign(view.success_url);
};
const draw = (view, message) => {
  if (view.status === "paid") return done(view, "Already paid");
  const { plan } = view;
  const settle = (result) => async () => {
    for (const button of root.querySelectorAll("button")) button.disabled = true;
    try {
      const { status } = await ask("/v1/billing/checkout/" + id + "/confirm", { result });
      if (status === "paid") done(view, "Thank you");
      else draw(view, "The payment was declined. Nothing has changed; you can try again.");
    } catch (error) { fail(error); }
    announce();
  };
  const trial = view.trial_days;
  const price = amount(plan.price.amount_minor, plan.price.currency);
  const limit = plan.evaluations_per_month === null ? "Evaluations without a monthly limit" : plan.evaluations_per_month.toLocaleString("en") + " evaluations a month";
  show(el("section", { className: "card" },
    el("p", { className: "brand" }, "Policy Guard"),
    el("h1", {}, "Plan " + plan.display_name), el("p", { className: "note" }, "for " + view.organization),
    el("p", { className: "price" }, price, el("span", { className: "note" }, " a month")),
    trial === 0 ? null : el("p", {}, "The first " + trial + " days cost nothing. Whoever cancels before they end pays nothing."),
    el("ul", {}, el("li", {}, limit), el("li", {}, "Traces kept for " + plan.trace_retention_days + " days")),
    message ? el("p", { className: "bad", role: "alert" }, message) : null,
    el("button", { className: "go", onclick: settle("paid") }, trial === 0 ? "Pay " + price : "Begin the trial"),
    el("button", { className: "stop", onclick: settle("declined") }, "Pretend that the card is declined"),
    view.cancel_url ? el("a", { className: "button", href: view.cancel_url }, "Back without paying") : null),
    stand());
};
ask("/v1/billing/checkout/" + id + "/view").then((view) => draw(view), fail);
`;

const portalScript = `${common}
const states = { none: "no subscription", trialing: "in trial", active: "active", past_due: "a payment is missing", blocked: "blocked", canceled: "ends with the period" };
const draw = ({ portal }) => {
  const { summary, invoices } = portal;
  const act = (action) => async () => {
    for (const button of root.querySelectorAll("button")) button.disabled = true;
    try { draw(await ask("/v1/billing/portal/" + id + "/act", { action })); } catch (error) { fail(error); }
    announce();
  };
  const open = invoices.filter(({ amount_due_minor }) => amount_due_minor > 0);
  const owed = open.reduce((sum, invoice) => sum + invoice.amount_due_minor, 0);
  const fact = (term, value) => (value ? [el("dt", {}, term), el("dd", {}, value)] : []);
  const next = { trialing: "the end of the trial", active: "the end of the period", canceled: "the end of the period", past_due: "the end of the grace time" }[summary.status];
  const isBad = summary.status === "blocked" || summary.status === "past_due";
  show(el("section", { className: "card" },
    el("p", { className: "brand" }, "Policy Guard"),
    el("h1", {}, "Billing of " + portal.organization),
    el("dl", {}, ...fact("Plan", summary.plan_display_name), el("dt", {}, "State"), el("dd", { className: isBad ? "bad" : "good" }, states[summary.status] ?? summary.status),
      ...fact("Period", summary.current_period_start && day(summary.current_period_start) + " to " + day(summary.current_period_end)),
      ...fact("Paid from", day(summary.trial_ends_at)), ...fact("Next plan", summary.pending_plan), ...fact("Blocked from", day(summary.grace_ends_at)))),
    el("section", { className: "card" }, el("h2", {}, "Payment"),
      open.length > 0 ? el("p", { className: "bad" }, amount(owed, open[0].currency) + " to pay") : el("p", {}, "Everything is paid."),
      open.length > 0 ? el("button", { className: "go", onclick: act("pay_invoices") }, "Pay " + amount(owed, open[0].currency)) : null,
      portal.payment_fails
        ? el("button", { onclick: act("accept_payments") }, "Let the next payments succeed again")
        : el("button", { className: "stop", onclick: act("decline_payments") }, "Pretend that the next payments are declined"),
      next ? el("button", { onclick: act("skip_ahead") }, "Skip to " + next) : null),
    el("section", { className: "card" }, el("h2", {}, "Invoices"),
      invoices.length === 0 ? el("p", { className: "note" }, "There are none yet.") : el("table", {}, el("thead", {}, el("tr", {}, ...["Invoice", "Issued", "State", "Amount"].map((name, at) => el("th", { scope: "col", className: at === 3 ? "n" : "" }, name)))), el("tbody", {}, ...invoices.map((invoice) =>
        el("tr", {}, el("td", {}, invoice.hosted_url ? el("a", { href: invoice.hosted_url }, invoice.number) : invoice.number), el("td", {}, day(invoice.issued_at)), el("td", {}, invoice.status), el("td", { className: "n" }, amount(invoice.total_minor, invoice.currency))))))),
    portal.return_url ? el("a", { className: "button", href: portal.return_url }, "Back") : null,
    stand());
};
ask("/v1/billing/portal/" + id + "/view").then(draw, fail);
`;

const invoiceScript = `${common}
fetch("/v1/billing/invoices/" + id + "/view", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ key }) })
  .then(async (response) => {
    if (!response.ok) throw new Error((await response.json()).detail?.message ?? "The server did not answer as expected.");
    // Parsed, and never run: a document made this way has no scripts, and this page's policy would refuse them.
    const invoice = new DOMParser().parseFromString(await response.text(), "text/html");
    document.title = invoice.title;
    document.getElementById("style").remove();
    document.body.replaceChildren(...invoice.body.childNodes);
  })
  .catch(fail);
`;

/** The pages, each made once. */
export const localPages: readonly LocalPage[] = [
  page("/billing/checkout/{checkout_id}", { title: "Checkout", script: checkoutScript }),
  page("/billing/portal/{portal_id}", { title: "Billing", script: portalScript }),
  page("/billing/invoice/{invoice_id}", { title: "Invoice", script: invoiceScript, extra: invoiceStyle }),
];

function page(
  path: string,
  { title, script, extra = "" }: { readonly title: string; readonly script: string; readonly extra?: string },
): LocalPage {
  const text = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="data:,">${
    extra === "" ? html`` : html`<style>${new Html(extra)}</style>`
  }<style id="style">${new Html(style)}</style></head>
<body><main id="root"><p class="note" role="status">One moment…</p></main>
<noscript><p>This page needs JavaScript.</p></noscript>
<script>${new Html(script)}</script></body></html>
`;
  const styles = [style, extra].filter((text) => text !== "").map(digest);
  return { path, html: text.text, contentSecurityPolicy: policyOf(styles.join(" "), digest(script)) };
}

function policyOf(styles: string, script: string): string {
  return [
    "default-src 'none'",
    `style-src ${styles}`,
    `script-src ${script}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function digest(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
