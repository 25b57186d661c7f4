// The REST facade: a request handler made from descriptors alone. It knows no service by name and sees only a
// Transport, so a REST call passes the same interceptors and the same handlers as a Connect or gRPC call.

import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, reasonRule } from "../../src/kit/fault/fault.ts";
import type { Logger } from "../../src/kit/observability/log.ts";
import { requestIdOf } from "../../src/kit/rpc/interceptors/request.ts";
import { createPages, type Pages } from "../docs/static-page.ts";
import {
  isGone,
  type RestHandler,
  type RestRequest,
  type RestResponse,
  sendAnswer,
  splitTarget,
} from "../http/http.ts";
import type { Entry } from "../route/entry.ts";
import { createRouter, isConversation, type Match, type Router, routesOf } from "../route/route.ts";
import { errorAnswer } from "./envelope.ts";
import { createOperation, type RestLimits } from "./operation.ts";
import { breakOff } from "./stream.ts";

/** The HTTP form of a method with streams on both sides. */
export interface Conversation {
  readonly method: DescMethod;
  readonly serve: Entry["serve"];
}

/** What a REST handler is made of. */
export interface RestOptions {
  /** Services whose methods with (google.api.http) are served. */
  readonly services: readonly DescService[];
  /** Where calls go; in one process the router transport. */
  readonly transport: Transport;
  readonly limits: RestLimits;
  /** Proxies of our own in front of this process, whose X-Forwarded-For is believed. */
  readonly trustedHops: number;
  readonly log: Logger;
  /** Conversations that are served; others have no HTTP form. */
  readonly conversations?: readonly Conversation[];
  /** Pages that no operation makes; without it, there are none. */
  readonly pages?: Pages;
}

/** The handler of the REST facade; also a fallback for a Connect adapter. Throws when a method cannot be served. */
export function createRestHandler({ services, log, pages, conversations = [], ...calls }: RestOptions): RestHandler {
  const routes = routesOf(services);
  const router = createRouter<Entry>([
    ...routes.filter(({ method }) => !isConversation(method)).map((route) => createOperation(route, calls)),
    ...conversations.flatMap((conversation) =>
      routes
        .filter(({ method }) => method === conversation.method)
        .map((route) => ({ route, serve: conversation.serve })),
    ),
    ...(pages === undefined ? [] : createPages(pages)),
  ]);
  return (request, response) => {
    const requestId = requestIdOf(request.headers["x-request-id"]);
    serve(router, request, response, requestId).catch((error: unknown) => {
      try {
        fail(request, response, error, requestId, log);
      } catch (second) {
        log.error({ err: second, request_id: requestId }, "an error could not be answered");
        response.destroy();
      }
    });
  };
}

async function serve(
  router: Router<Entry>,
  request: RestRequest,
  response: RestResponse,
  requestId: string,
): Promise<void> {
  const { path: given, query } = splitTarget(request.url ?? "/");
  const isPathMalformed = !isDecodable(given);
  // The router rejects paths that it cannot decode, but a caller without a credential gets 401 before the 400 of a
  // parameter.
  const path = isPathMalformed ? literalPath(given) : given;
  if (request.method === "OPTIONS") {
    const allow = allowedOn(router, path);
    sendAnswer(request, response, { status: 204, headers: { allow, "x-request-id": requestId }, body: undefined });
    return;
  }
  const { entry, params } = findEntry(router, request.method ?? "", path);
  await entry.serve({ request, response, params, isPathMalformed, query, requestId, signal: signalOf(response) });
}

function findEntry(router: Router<Entry>, verb: string, path: string): Match<Entry> {
  const match = router.find(verb, path);
  if (match !== undefined) return match;
  const allow = allowedOn(router, path);
  throw new Fault(Reason.METHOD_NOT_ALLOWED, `this path does not allow ${verb}; it allows ${allow}`, {
    headers: { Allow: allow },
  });
}

function allowedOn(router: Router<Entry>, path: string): string {
  const allowed = router.allowed(path);
  if (allowed.length === 0) throw new Fault(Reason.UNKNOWN_PATH, "no operation has this path");
  return allowed.join(", ");
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The path in which segments that cannot be decoded stand for their own characters. */
function literalPath(path: string): string {
  return path
    .split("/")
    .map((segment) => (isDecodable(segment) ? segment : encodeURIComponent(segment)))
    .join("/");
}

/** Aborted when the connection closes before the answer is complete. */
function signalOf(response: RestResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableEnded) controller.abort(new ConnectError("the caller is gone", Code.Canceled));
  });
  return controller.signal;
}

function fail(request: RestRequest, response: RestResponse, error: unknown, requestId: string, log: Logger): void {
  if (isGone(response)) return; // so is the caller
  if (response.headersSent) {
    log.warn({ err: error, request_id: requestId }, "an answer broke off");
    breakOff(response);
    return;
  }
  const answer = errorAnswer(error, requestId, splitTarget(request.url ?? "/").path);
  const facts = { request_id: requestId, status: answer.status };
  if (error instanceof Fault) log.info({ ...facts, reason: reasonRule(error.reason).name }, "refused");
  else if (!(error instanceof ConnectError)) log.error({ ...facts, err: error }, "the gateway failed");
  sendAnswer(request, response, answer);
}
