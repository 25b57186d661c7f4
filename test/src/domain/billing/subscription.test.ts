import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Billing, type BillingOptions } from "../../../../src/domain/billing/billing.ts";
import { BillingUpkeep } from "../../../../src/domain/billing/billing-upkeep.ts";
import { LocalPages, type PageKey, type PortalAction } from "../../../../src/domain/billing/local-page.ts";
import { endOfPeriod, prorated } from "../../../../src/domain/billing/period.ts";
import { readPrices, shownAmount } from "../../../../src/domain/billing/price.ts";
import { PasswordHasher } from "../../../../src/domain/identity/password-hash.ts";
import { Operator } from "../../../../src/domain/operator/operator.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { createMovedClock } from "../../../harness/moved-clock.ts";
import { pageOf } from "../../../harness/vector/billing-step.ts";
import { createWorld, type World } from "../../../harness/vector/world.ts";

const dayMs = 86_400_000;
const audit = { action: "billing.portal", requestId: "test", address: "" };
const options: BillingOptions = {
  mode: "stub",
  prices: readPrices(["growth=4900", "enterprise=49000"]),
  graceMs: 7 * dayMs,
  trialDays: 0,
  mailer: undefined,
  publicUrl: "https://guard.example.com",
};

describe("a subscription", () => {
  const clock = createMovedClock();
  let urls: TestDatabase;
  let database: Database;
  let worker: Database;
  let world: World;
  let billing: Billing;
  let pages: LocalPages;
  let upkeep: BillingUpkeep;

  beforeAll(async () => {
    urls = await createTestDatabase();
    database = await openDatabase({ url: urls.applicationUrl, poolSize: 6, clock });
    worker = await openDatabase({ url: urls.workerUrl, poolSize: 4, clock });
    billing = new Billing(database, options);
    pages = new LocalPages(database, options);
    upkeep = new BillingUpkeep(worker, clock, options);
  });

  beforeEach(async () => {
    clock.set(new Date("2026-01-31T10:30:00Z"));
    world = await createWorld(database);
  });

  afterAll(async () => {
    await Promise.all([database.close(), worker.close()]);
    await urls.drop();
  });

  const summary = () => billing.summary(world.caller);
  const invoices = async () => (await billing.invoices(world.caller, { limit: 50, offset: 0 }))[0];
  const buy = async (plan: "growth" | "enterprise" = "growth") => {
    const page: PageKey = pageOf((await billing.checkout(world.caller, { plan })).url);
    return pages.confirm(page, "paid", audit);
  };
  const inPortal = async (action: PortalAction) =>
    pages.act(pageOf((await billing.openPortal(world.caller, {})).url), action, audit);
  const at = async (moment: string) => {
    clock.set(new Date(moment));
    await upkeep.advance();
    return summary();
  };
  const operator = () =>
    new Operator(database, new PasswordHasher(), {
      ...{ actor: "operator:ada", isDryRun: false, defaultPlan: "free", graceMs: options.graceMs },
    });

  it("is renewed on the last day of shorter months, and on its own day again afterwards", async () => {
    await buy();
    expect(await at("2026-02-28T10:30:00Z")).toMatchObject({
      status: "active",
      currentPeriodStart: new Date("2026-02-28T10:30:00Z"),
      currentPeriodEnd: new Date("2026-03-31T10:30:00Z"),
    });
    // The worker was away for months: each period has its own invoice.
    expect(await at("2026-06-15T00:00:00Z")).toMatchObject({ currentPeriodEnd: new Date("2026-06-30T10:30:00Z") });
    const numbers = (await invoices()).map(({ invoice }) => invoice.number).sort();
    expect(numbers).toEqual([1, 2, 3, 4, 5].map((n) => `PG-2026-00000${n}`));
  });

  it("goes on for the grace time after a declined renewal, blocks, and opens when the bill is settled", async () => {
    await buy();
    await inPortal("decline_payments");
    const owing = await at("2026-02-28T10:30:00Z");
    expect(owing).toMatchObject({ status: "past_due", plan: "growth", graceEndsAt: new Date("2026-03-07T10:30:00Z") });
    expect(owing.notices.map(({ kind }) => kind)).toContain("payment_failed");
    const warned = await at("2026-03-06T11:00:00Z");
    expect(warned.notices.filter(({ kind }) => kind === "grace_ending")).toHaveLength(1);
    expect(warned).toMatchObject({ status: "past_due", billingBlocked: false });
    const blocked = await at("2026-03-07T10:30:00Z");
    expect(blocked).toMatchObject({ status: "blocked", billingBlocked: true, plan: "growth", graceEndsAt: null });
    // A second failure does not come: while it is blocked nothing is billed.
    expect(await at("2026-05-20T00:00:00Z")).toMatchObject({ status: "blocked" });
    expect(await invoices()).toHaveLength(2);
    await inPortal("pay_invoices");
    expect(await summary()).toMatchObject({
      status: "active",
      billingBlocked: false,
      currentPeriodStart: new Date("2026-05-20T00:00:00Z"),
      currentPeriodEnd: new Date("2026-06-20T00:00:00Z"),
    });
  });

  it("that was canceled is in force until the end of its period", async () => {
    await buy();
    await billing.cancel(world.caller, { atPeriodEnd: true });
    expect(await at("2026-02-27T00:00:00Z")).toMatchObject({ status: "canceled", plan: "growth" });
    expect(await at("2026-02-28T10:30:00Z")).toMatchObject({ status: "none", plan: "free", provider: "none" });
    expect(await invoices()).toHaveLength(1);
    await buy("enterprise");
    expect(await summary()).toMatchObject({ status: "active", plan: "enterprise" });
  });

  it("that ends with an open invoice stays blocked until that is settled, and then is none", async () => {
    await buy();
    await inPortal("decline_payments");
    await at("2026-02-28T10:30:00Z");
    expect(await billing.cancel(world.caller, { atPeriodEnd: false })).toMatchObject({ status: "blocked" });
    await inPortal("pay_invoices");
    expect(await summary()).toMatchObject({ status: "none", plan: "free", billingBlocked: false });
  });

  it("that is canceled while blocked is in force until the end of its period once that is paid", async () => {
    await buy();
    await inPortal("decline_payments");
    await at("2026-02-28T10:30:00Z");
    expect(await at("2026-03-07T10:30:00Z")).toMatchObject({ status: "blocked" });
    expect(await billing.cancel(world.caller, { atPeriodEnd: true })).toMatchObject({ status: "blocked" });
    await inPortal("pay_invoices");
    expect(await summary()).toMatchObject({ status: "canceled", plan: "growth", billingBlocked: false });
    expect(await at("2026-03-31T10:30:00Z")).toMatchObject({ status: "none", plan: "free" });
  });

  it("grows at once for the rest of its price, and shrinks with the next period", async () => {
    await buy();
    clock.set(new Date("2026-02-14T10:30:00Z"));
    expect(await billing.changePlan(world.caller, { plan: "enterprise" })).toMatchObject({
      plan: "enterprise",
      limit: null,
    });
    // 14 of 28 days are left.
    expect((await invoices())[0]?.lines).toMatchObject([{ amountMinor: (49_000 - 4_900) / 2, isProration: true }]);
    await billing.changePlan(world.caller, { plan: "growth" });
    expect(await summary()).toMatchObject({ plan: "enterprise", pendingPlan: "growth" });
    expect(await at("2026-02-28T10:30:00Z")).toMatchObject({ plan: "growth", pendingPlan: null, limit: 250_000 });
  });

  it("is bought once, however many checkouts race", async () => {
    const races = Array.from({ length: 6 }, () => billing.checkout(world.caller, { plan: "growth" }));
    const opened = (await Promise.all(races)).map(({ url }) => pageOf(url));
    const results = await Promise.allSettled(opened.map((page) => pages.confirm(page, "paid", audit)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await invoices()).toHaveLength(1);
  });

  it("does not override a plan that the operator holds until a date, and ends one without a date", async () => {
    await operator().setPlan(world.orgId, "enterprise", { until: "2026-02-10T00:00:00Z" });
    await expect(billing.checkout(world.caller, { plan: "growth" })).rejects.toThrow("until 2026-02-10");
    expect(await summary()).toMatchObject({ plan: "enterprise", provider: "operator", status: "none" });
    expect(await at("2026-02-10T00:01:00Z")).toMatchObject({ plan: "free", provider: "none" });
    await operator().setPlan(world.orgId, "enterprise");
    await buy();
    expect(await summary()).toMatchObject({ plan: "growth", provider: "stub" });
  });

  it("is tried out first where that is offered, once, and is paid from the end of the trial on", async () => {
    const trying = { ...options, trialDays: 14 };
    const [shop, page] = [new Billing(database, trying), new LocalPages(database, trying)];
    const open = async () => pageOf((await shop.checkout(world.caller, { plan: "growth" })).url);
    const first = await open();
    expect(await page.viewCheckout(first)).toMatchObject({ trialDays: 14 });
    await page.confirm(first, "paid", audit);
    const trialEndsAt = new Date("2026-02-14T10:30:00Z");
    expect(await summary()).toMatchObject({ status: "trialing", plan: "growth", trialEndsAt, limit: 250_000 });
    await shop.changePlan(world.caller, { plan: "enterprise" });
    expect(await invoices()).toHaveLength(0);
    expect(await at("2026-02-14T10:30:00Z")).toMatchObject({
      ...{ status: "active", plan: "enterprise", trialEndsAt: null },
      ...{ currentPeriodStart: trialEndsAt, currentPeriodEnd: new Date("2026-03-14T10:30:00Z") },
    });
    expect((await invoices()).map(({ invoice }) => invoice.totalMinor)).toEqual([49_000]);
    await shop.cancel(world.caller, { atPeriodEnd: false });
    expect(await page.viewCheckout(await open())).toMatchObject({ trialDays: 0 });
  });

  it.each(["decline_payments", "cancel"] as const)("that is only tried out ends with its trial: %s", async (how) => {
    const trying = { ...options, trialDays: 14 };
    const shop = new Billing(database, trying);
    const first = pageOf((await shop.checkout(world.caller, { plan: "growth" })).url);
    await new LocalPages(database, trying).confirm(first, "paid", audit);
    if (how === "cancel") await shop.cancel(world.caller, { atPeriodEnd: true });
    else await inPortal(how);
    expect(await at("2026-02-14T10:29:00Z")).toMatchObject({ status: "trialing", plan: "growth" });
    expect(await at("2026-02-14T10:30:00Z")).toMatchObject({ status: "none", plan: "free", billingBlocked: false });
    expect(await invoices()).toHaveLength(0);
  });

  it("shows every state without waiting, by the local portal", async () => {
    await buy();
    await inPortal("decline_payments");
    expect((await inPortal("skip_ahead")).summary).toMatchObject({ status: "past_due", billingBlocked: false });
    expect((await inPortal("skip_ahead")).summary).toMatchObject({ status: "blocked", billingBlocked: true });
    await expect(inPortal("skip_ahead")).rejects.toThrow("nothing is going to happen");
    await inPortal("accept_payments");
    expect((await inPortal("pay_invoices")).summary).toMatchObject({ status: "active", billingBlocked: false });
    clock.pass(1_000);
    const { summary: renewed } = await inPortal("skip_ahead");
    expect(renewed).toMatchObject({ status: "active", currentPeriodStart: new Date("2026-01-31T10:30:01Z") });
    await billing.cancel(world.caller, { atPeriodEnd: true });
    expect((await inPortal("skip_ahead")).summary).toMatchObject({ status: "none", plan: "free" });
  });

  it("that is blocked may be opened by the operator, for another grace time", async () => {
    await buy();
    await inPortal("decline_payments");
    await at("2026-02-28T10:30:00Z");
    await at("2026-03-08T00:00:00Z");
    await operator().unblock(world.orgId, "the bank was closed");
    expect(await summary()).toMatchObject({ status: "past_due", graceEndsAt: new Date("2026-03-15T00:00:00Z") });
  });

  it("cannot be bought on a page that was opened before the operator held a plan until a date", async () => {
    const page = pageOf((await billing.checkout(world.caller, { plan: "growth" })).url);
    await operator().setPlan(world.orgId, "enterprise", { until: "2026-06-01" });
    await expect(pages.viewCheckout(page)).rejects.toMatchObject({ reason: Reason.LINK_INVALID });
    await expect(pages.confirm(page, "paid", audit)).rejects.toMatchObject({ reason: Reason.LINK_INVALID });
    expect(await summary()).toMatchObject({ plan: "enterprise", status: "none" });
    expect(await invoices()).toEqual([]);
    expect(await at("2026-06-02T00:01:00Z")).toMatchObject({ plan: "free", status: "none" });
    await buy();
    expect(await summary()).toMatchObject({ plan: "growth", status: "active" });
  });

  it("is renewed although that of another organization cannot be", async () => {
    const broken: World[] = [];
    for (let i = 0; i < 3; i++) {
      await buy();
      broken.push(world);
      world = await createWorld(database);
    }
    await buy();
    const setEnd = (org: World, end: string | null) =>
      database.systemTransaction(org.orgId, (tx) =>
        tx.sql("update subscription set period_end = ? where org_id = ?", [end, org.orgId]),
      );
    for (const each of broken) await setEnd(each, null);
    clock.set(new Date("2026-02-28T10:30:00Z"));
    await expect(upkeep.advance()).rejects.toThrow(/^failed for 3 of /);
    expect(await summary()).toMatchObject({ status: "active", currentPeriodEnd: new Date("2026-03-31T10:30:00Z") });
    for (const each of broken) await setEnd(each, "2026-03-31T10:30:00Z");
  });

  it("has a page for each invoice that holds what customers wrote as text", async () => {
    await buy();
    await database.systemTransaction(world.orgId, (tx) =>
      tx.sql("update organization set name = ? where id = ?", [`<script>alert("1")</script>&`, world.orgId]),
    );
    const [newest] = await invoices();
    const document = await billing.document(world.caller, newest?.invoice.id ?? "");
    expect(document).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;");
    expect(document).not.toContain("<script");
    expect(document).toContain("no money was taken");
  });
});

describe("periods and amounts", () => {
  it.each([
    ["2026-01-31T10:00:00Z", 31, "2026-02-28T10:00:00Z"],
    ["2028-01-31T10:00:00Z", 31, "2028-02-29T10:00:00Z"],
    ["2026-02-28T10:00:00Z", 31, "2026-03-31T10:00:00Z"],
    ["2026-12-15T23:59:59Z", 15, "2027-01-15T23:59:59Z"],
  ])("a period that begins on %s with day %i ends on %s", (start, day, end) => {
    expect(endOfPeriod(new Date(start), day)).toEqual(new Date(end));
  });

  it("half a minor unit is rounded up", () => {
    const [start, end] = [new Date(0), new Date(2_000)];
    expect(prorated(1, { start, end, now: new Date(1_000) })).toBe(1);
    expect(prorated(3, { start, end, now: new Date(1_000) })).toBe(2);
    expect(prorated(3, { start, end, now: end })).toBe(0);
    expect(prorated(44_100, { start, end, now: start })).toBe(44_100);
  });

  it("prices are read, or refused with what was expected", () => {
    expect(readPrices(["growth=100"])).toEqual({ currency: "USD", amounts: { growth: 100 } });
    expect(() => readPrices(["gold=1"])).toThrow("STUB_PRICES");
    expect([shownAmount(5, "usd"), shownAmount(-4_900, "USD")]).toEqual(["0.05 USD", "-49.00 USD"]);
  });
});
