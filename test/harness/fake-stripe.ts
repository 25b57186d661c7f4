// A stand-in for Stripe on the loopback network, for its real library: bracketed form bodies, versions, idempotency
// keys, and everything that goes wrong with a network. Events are signed as Stripe signs them, and may be repeated,
// shuffled and dropped before they are delivered.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import type { Clock } from "../../src/kit/process/clock.ts";
import {
  type FakeEvent,
  invoiceJson,
  type Params,
  StripeAccount,
  StripeRefusal,
  scheduleJson,
} from "./stripe-account.ts";

/**
 * What goes wrong with a call: "429" and "500" before anything has happened, "500-after" when it has, the connection
 * cut before or after.
 */
export type StripeFault = "429" | "500" | "500-after" | "reset" | "reset-after";

/** A call as it came. */
export interface StripeCall {
  readonly name: string;
  readonly key: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly params: Params;
}

/** A listening stand-in. */
export interface FakeStripe {
  readonly url: string;
  readonly account: StripeAccount;
  /** Every call that came, in order, those that failed too. */
  readonly calls: readonly StripeCall[];
  /** What goes wrong with the calls that come, by their count since this was set. */
  failWith(fault: (call: StripeCall, count: number) => StripeFault | undefined): void;
  /** The events since it was last asked for them. */
  takeEvents(): FakeEvent[];
  close(): Promise<void>;
}

interface KeptAnswer {
  readonly digest: string;
  readonly status: number;
  readonly body: unknown;
}

/** The key that calls have to carry, and a secret of the webhook endpoint. */
export const fakeStripeKey = "sk_test_fakefakefake";
/** The secret of the webhook endpoint. */
export const fakeWebhookSecret = "whsec_fakefakefake";
/** The version of the API that the library pins. */
export const pinnedVersion = "2026-10-28.endive";

/** Starts a stand-in. */
export async function startFakeStripe(clock: Clock): Promise<FakeStripe> {
  const account = new StripeAccount(clock);
  const calls: StripeCall[] = [];
  const kept = new Map<string, KeptAnswer>();
  let fault: (call: StripeCall, count: number) => StripeFault | undefined = () => undefined;
  let count = 0;
  let taken = 0;
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request)).toString("utf8");
    const url = new URL(request.url ?? "/", "http://stripe");
    const params = readForm(request.method === "GET" ? url.searchParams : new URLSearchParams(text));
    const key = request.headers["idempotency-key"];
    const call: StripeCall = {
      name: `${request.method} ${url.pathname}`,
      key: typeof key === "string" ? key : undefined,
      headers: request.headers,
      params,
    };
    calls.push(call);
    count += 1;
    const wrong = fault(call, count);
    if (wrong === "reset") return void request.socket.destroy();
    if (wrong === "429") return answer(response, 429, failed({ type: "rate_limit_error", message: "slow down" }));
    if (wrong === "500") return keep(500, failed({ type: "api_error", message: "boom" }));
    const known = call.key === undefined ? undefined : kept.get(call.key);
    const digest = createHash("sha256").update(`${call.name} ${text}`).digest("hex");
    if (known !== undefined && known.digest !== digest)
      return answer(response, 400, failed({ type: "idempotency_error", message: "the key was used otherwise" }));
    const { status, body } = known ?? carryOut(account, call);
    if (wrong === "500-after") return keep(500, failed({ type: "api_error", message: "boom, but done" }));
    // Refusals of what was asked are not kept: only what began to be carried out is.
    if (call.key !== undefined && status !== 400 && status !== 404) kept.set(call.key, { digest, status, body });
    if (wrong === "reset-after") return void request.socket.destroy();
    return answer(response, status, body);

    function keep(failure: number, content: unknown): void {
      if (call.key !== undefined && failure === 500 && wrong === "500-after") {
        const of = createHash("sha256").update(`${call.name} ${text}`).digest("hex");
        kept.set(call.key, { digest: of, status: failure, body: content });
      }
      answer(response, failure, content);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listens on TCP
    account,
    calls,
    failWith(next) {
      fault = next;
      count = 0;
    },
    takeEvents() {
      const events = account.events.slice(taken);
      taken = account.events.length;
      return events;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A body of an event and its signature, as Stripe sends them. */
export function signedEvent(
  event: FakeEvent,
  { at, secret = fakeWebhookSecret }: { readonly at: Date; readonly secret?: string },
): { readonly body: Buffer; readonly signature: string } {
  const payload = JSON.stringify(event);
  const timestamp = Math.floor(at.getTime() / 1_000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return { body: Buffer.from(payload), signature };
}

function carryOut(account: StripeAccount, call: StripeCall): { readonly status: number; readonly body: unknown } {
  try {
    if (call.headers.authorization !== `Bearer ${fakeStripeKey}`)
      throw new StripeRefusal(401, {
        type: "invalid_request_error",
        message: "Invalid API Key provided: sk_test_****",
      });
    if (call.headers["stripe-version"] !== pinnedVersion) throw new StripeRefusal(400, { message: "another version" });
    return { status: 200, body: answerOf(account, call) };
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    return { status: error.status, body: failed(error.error) };
  }
}

function answerOf(account: StripeAccount, { name, params }: StripeCall): unknown {
  const [, method = "", path = ""] = /^(\S+) \/v1\/(.*)$/.exec(name) ?? [];
  const [kind, id = "", verb = ""] = path.replace(/^(checkout|billing_portal)\//, "$1_").split("/");
  const { customer } = params;
  switch (`${method} ${kind}${id === "" ? "" : "/id"}${verb === "" ? "" : `/${verb}`}`) {
    case "POST customers":
      return account.createCustomer();
    case "POST customers/id":
      return Object.assign(account.customer(id), { name: params.name, email: params.email });
    case "GET subscriptions":
      return list([...account.subscriptions.values()].filter((one) => one.customer === customer).reverse(), (one) =>
        account.subscriptionJson(one),
      );
    case "POST subscriptions/id":
      return account.subscriptionJson(account.updateSubscription(id, params));
    case "DELETE subscriptions/id": {
      const subscription = account.subscription(id);
      if (subscription.status === "canceled")
        throw new StripeRefusal(404, {
          type: "invalid_request_error",
          code: "resource_missing",
          message: "it has ended",
        });
      account.end(subscription);
      return account.subscriptionJson(subscription);
    }
    case "GET invoices":
      return list([...account.invoices.values()].filter((one) => one.customer === customer).reverse(), invoiceJson);
    case "POST checkout_sessions":
      return account.createCheckout(params);
    case "POST checkout_sessions/id/expire":
      return account.expireCheckout(id);
    case "POST billing_portal_sessions":
      return { id: account.id("bps"), url: `https://billing.stripe.com/p/session/${account.customer(customer).id}` };
    case "POST subscription_schedules":
      return scheduleJson(account.createSchedule(params));
    case "POST subscription_schedules/id":
      return scheduleJson(account.updateSchedule(id, params));
    case "POST subscription_schedules/id/release":
      return scheduleJson(account.releaseSchedule(id));
    case "GET prices/id":
      return { id, object: "price", currency: "usd", unit_amount: account.amount(id) };
    case "GET events":
      return eventPage(account.events, params);
    default:
      throw new StripeRefusal(404, { type: "invalid_request_error", message: `Unrecognized request URL (${name})` });
  }
}

function eventPage(events: readonly FakeEvent[], params: Params): unknown {
  const since = Number(Object(params.created).gte ?? 0);
  const newest = events.filter(({ created }) => created >= since).toReversed();
  const from = newest.findIndex(({ id }) => id === params.starting_after) + 1;
  const limit = Number(params.limit ?? 10);
  return { object: "list", data: newest.slice(from, from + limit), has_more: newest.length > from + limit };
}

function list<T>(all: readonly T[], show: (one: T) => unknown): unknown {
  return { object: "list", data: all.map(show), has_more: false };
}

function failed(error: Readonly<Record<string, string>>): unknown {
  return { error };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_fake" });
  response.end(JSON.stringify(body));
}

/** Reads "items[0][price]=p" as {items: {0: {price: "p"}}}. */
function readForm(form: URLSearchParams): Params {
  const root: Record<string, unknown> = Object.create(null);
  for (const [name, value] of form) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "");
    let place = root;
    for (const part of path.slice(0, -1)) {
      place[part] ??= Object.create(null);
      place = Object(place[part]);
    }
    place[path.at(-1) ?? ""] = value;
  }
  return root;
}
