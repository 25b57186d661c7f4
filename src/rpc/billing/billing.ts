import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import type {
  BillingPlanSchema,
  BillingSummarySchema,
  InvoiceSchema,
  UsageShareSchema,
} from "../../../gen/policyguard/control/v1/billing_pb.ts";
import type { BillingService, PortalViewSchema } from "../../../gen/policyguard/control/v1/billing_service_pb.ts";
import type { Billing, PlanView } from "../../domain/billing/billing.ts";
import { invoicePolicy } from "../../domain/billing/invoice-document.ts";
import type { LocalPages, PortalAction, PortalView } from "../../domain/billing/local-page.ts";
import { type Plan, planNames } from "../../domain/billing/plan.ts";
import type { ProviderEvents } from "../../domain/billing/provider-event.ts";
import type { Summary } from "../../domain/billing/summary.ts";
import type { UsageHistory, UsageShare } from "../../domain/billing/usage-history.ts";
import { Fault } from "../../kit/fault/fault.ts";
import { auditKey, callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

/** What the handlers call. */
export interface BillingDomain {
  readonly billing: Billing;
  readonly localPages: LocalPages;
  readonly usageHistory: UsageHistory;
  /** Undefined where Stripe is not connected. */
  readonly providerEvents: ProviderEvents | undefined;
  /** Address of the control plane, for the addresses of pages. */
  readonly publicUrl: string;
}

type StoredInvoice = PortalView["invoices"][number];
type Dimension = Parameters<UsageHistory["breakdown"]>[1][number];
type Status = StoredInvoice["invoice"]["status"];

/** Handlers of BillingService. */
export function billingHandlers(domain: BillingDomain): ServiceImpl<typeof BillingService> {
  return { ...readHandlers(domain), ...changeHandlers(domain), ...pageHandlers(domain), ...eventHandlers(domain) };
}

type Reads =
  | "getSummary"
  | "listUsage"
  | "getBreakdown"
  | "exportUsage"
  | "listPlans"
  | "listInvoices"
  | "getInvoiceDocument";
type Changes = "createCheckout" | "changePlan" | "cancelSubscription" | "openPortal";

function readHandlers({
  billing,
  usageHistory,
  publicUrl,
}: BillingDomain): Pick<ServiceImpl<typeof BillingService>, Reads> {
  return {
    getSummary: async (_request, context) => ({ summary: summaryMessage(await billing.summary(callerOf(context))) }),
    listUsage: async ({ granularity, from, to }, context) => {
      const question = { granularity: granularity === "day" ? ("day" as const) : ("month" as const), from, to };
      const periods = await usageHistory.list(callerOf(context), question);
      return { usage: periods.map(({ limit, ...period }) => ({ ...period, limit: limit ?? undefined })) };
    },
    getBreakdown: async ({ groupBy, agentId: agentKey, ...question }, context) => {
      const dimensions = groupBy.length === 0 ? ["project"] : groupBy;
      // Validated: each is one of the dimensions.
      const answer = await usageHistory.breakdown(callerOf(context), dimensions as Dimension[], {
        ...question,
        agentKey,
      });
      const { evaluations, overageEvaluations } = answer;
      return { breakdown: answer.shares.map(shareMessage), totals: { evaluations, overageEvaluations } };
    },
    async *exportUsage({ agentId: agentKey, ...question }, context) {
      context.responseHeader.set("Content-Disposition", 'attachment; filename="usage.csv"');
      for await (const lines of usageHistory.export(callerOf(context), { ...question, agentKey })) {
        yield { contentType: "text/csv; charset=utf-8; header=present", data: Buffer.from(lines) };
      }
    },
    listPlans: async (_request, context) => ({ plans: (await billing.plans(callerOf(context))).map(planMessage) }),
    listInvoices: async (request, context) => {
      const page = pageOf(request);
      const status = request.status as Status | undefined; // validated: one of them
      const [invoices, total] = await billing.invoices(callerOf(context), { ...page, status });
      return { total, ...page, invoices: invoices.map((invoice) => invoiceMessage(invoice, publicUrl)) };
    },
    async *getInvoiceDocument({ invoiceId }, context) {
      yield documentBody(await billing.document(callerOf(context), invoiceId), context);
    },
  };
}

function changeHandlers({ billing }: BillingDomain): Pick<ServiceImpl<typeof BillingService>, Changes> {
  return {
    createCheckout: async ({ plan, ...urls }, context) => {
      const page = await billing.checkout(callerOf(context), { ...urls, plan: plan as Plan }); // validated
      const { id: checkoutId, url, provider, expiresAt } = page;
      return { checkoutId, url, provider, expiresAt: timestamp(expiresAt) };
    },
    changePlan: async ({ plan, when }, context) => ({
      summary: summaryMessage(await billing.changePlan(callerOf(context), { plan: plan as Plan, when })), // validated
    }),
    cancelSubscription: async ({ atPeriodEnd = true }, context) => ({
      summary: summaryMessage(await billing.cancel(callerOf(context), { atPeriodEnd })),
    }),
    openPortal: async ({ returnUrl }, context) => {
      const { url, provider, expiresAt } = await billing.openPortal(callerOf(context), { returnUrl });
      return { url, provider, expiresAt: timestamp(expiresAt) };
    },
  };
}

function pageHandlers({
  billing,
  localPages,
  publicUrl,
}: BillingDomain): Omit<ServiceImpl<typeof BillingService>, Reads | Changes | "receiveStripeEvent"> {
  const portal = (view: PortalView) => ({ portal: portalMessage(view, publicUrl) });
  return {
    viewCheckout: async ({ checkoutId: id, key }) => {
      const { plan, successUrl, cancelUrl, expiresAt, ...view } = await localPages.viewCheckout({ id, key });
      return {
        ...view,
        plan: planMessage(billing.plan(plan)),
        successUrl: successUrl ?? undefined,
        cancelUrl: cancelUrl ?? undefined,
        expiresAt: timestamp(expiresAt),
      };
    },
    confirmCheckout: async ({ checkoutId: id, key, result }, { values }) => ({
      status: await localPages.confirm({ id, key }, result === "paid" ? "paid" : "declined", values.get(auditKey)),
    }),
    viewPortal: async ({ portalId: id, key }) => portal(await localPages.viewPortal({ id, key })),
    actInPortal: async ({ portalId: id, key, action }, { values }) =>
      portal(await localPages.act({ id, key }, action as PortalAction, values.get(auditKey))), // validated
    async *viewInvoice({ invoiceId: id, key }, context) {
      yield documentBody(await localPages.viewInvoice({ id, key }), context);
    },
  };
}

function eventHandlers({
  providerEvents,
}: BillingDomain): Pick<ServiceImpl<typeof BillingService>, "receiveStripeEvent"> {
  return {
    async receiveStripeEvent(requests) {
      if (providerEvents === undefined)
        throw new Fault(Reason.NOT_FOUND, "Stripe is not connected to this installation");
      let signature = "";
      const parts: Uint8Array[] = [];
      // The first message has the signature and no bytes.
      for await (const request of requests) {
        signature = request.signature;
        if (request.event !== undefined) parts.push(request.event.data);
      }
      await providerEvents.receive(Buffer.concat(parts), signature);
      return {};
    },
  };
}

function documentBody(document: string, context: HandlerContext) {
  context.responseHeader.set("Content-Security-Policy", invoicePolicy);
  context.responseHeader.set("Cache-Control", "no-store");
  return { contentType: "text/html; charset=utf-8", data: Buffer.from(document) };
}

function summaryMessage(summary: Summary): MessageInitShape<typeof BillingSummarySchema> {
  const { limit, remaining, resetsAt, graceEndsAt, trialEndsAt, pendingPlan, notices, ...rest } = summary;
  const { currentPeriodStart, currentPeriodEnd, ...plain } = rest;
  return {
    ...plain,
    planDisplayName: planNames[summary.plan],
    limit: limit ?? undefined,
    remaining: remaining ?? undefined,
    resetsAt: timestamp(resetsAt),
    graceEndsAt: timestamp(graceEndsAt),
    trialEndsAt: timestamp(trialEndsAt),
    currentPeriodStart: timestamp(currentPeriodStart),
    currentPeriodEnd: timestamp(currentPeriodEnd),
    pendingPlan: pendingPlan ?? undefined,
    pendingPlanAt: pendingPlan === null ? undefined : timestamp(currentPeriodEnd),
    notices: notices.map(({ kind, projectId, value, at }) => ({
      kind,
      projectId: projectId ?? undefined,
      value,
      at: timestamp(at),
    })),
  };
}

function planMessage({ evaluationsPerMonth, price, ...plan }: PlanView): MessageInitShape<typeof BillingPlanSchema> {
  return {
    ...plan,
    features: [...plan.features],
    evaluationsPerMonth: evaluationsPerMonth ?? undefined,
    price: price === null ? undefined : { ...price, interval: "month" },
  };
}

function shareMessage({ key, ...counts }: UsageShare): MessageInitShape<typeof UsageShareSchema> {
  const { project: projectId, environment, agent: agentId, stage, day } = key;
  return { ...counts, projectId, environment, agentId, stage, day };
}

function portalMessage(
  { organization, summary, invoices, paymentFails, returnUrl }: PortalView,
  publicUrl: string,
): MessageInitShape<typeof PortalViewSchema> {
  return {
    organization,
    summary: summaryMessage(summary),
    invoices: invoices.map((invoice) => invoiceMessage(invoice, publicUrl)),
    paymentFails,
    returnUrl: returnUrl ?? undefined,
  };
}

function invoiceMessage({ invoice, lines }: StoredInvoice, publicUrl: string): MessageInitShape<typeof InvoiceSchema> {
  const { id, number, status, currency, subtotalMinor, totalMinor, amountDueMinor, provider, pageKey } = invoice;
  return {
    ...{ id, number, status, currency, subtotalMinor, totalMinor, amountDueMinor, provider },
    periodStart: timestamp(invoice.periodStart),
    periodEnd: timestamp(invoice.periodEnd),
    issuedAt: timestamp(invoice.issuedAt),
    dueAt: timestamp(invoice.dueAt),
    paidAt: timestamp(invoice.paidAt),
    hostedUrl: pageKey == null ? (invoice.hostedUrl ?? undefined) : `${publicUrl}/billing/invoice/${id}#${pageKey}`,
    lines: lines.map(({ description, quantity, amountMinor, isProration }) => ({
      ...{ description, quantity, amountMinor, isProration },
    })),
  };
}
