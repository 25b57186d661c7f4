// The way to the control plane. Calls carry the browser's cookie by themselves; the header says which session this page
// was loaded with, and proves that the call is the page's own.

import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { failureOf } from "./failure.ts";

const header = "X-Policy-Guard-Console";

/** What the header says until the page knows its session. */
const unknown = "1";
let sessionId = unknown;

/** Sets the session that calls are made for. Returns what sets the former one again. */
export function setSession(id: string | undefined): () => void {
  const former = sessionId;
  sessionId = id ?? unknown;
  return () => {
    sessionId = former;
  };
}

/** Whoever shows that the session has ended. */
let onSessionEnd: (() => void) | undefined;

/** Says whom to tell that a call found no session any more. */
export function whenSessionEnds(listener: (() => void) | undefined): void {
  onSessionEnd = listener;
}

/** Whoever decides what becomes of a page whose browser has signed in again elsewhere. */
let onSessionChange = () => location.reload();

/** Says whom to tell that the page shows another session's data. Without anybody the page is loaded anew. */
export function whenSessionChanges(listener: (() => void) | undefined): void {
  onSessionChange = listener ?? (() => location.reload());
}

/** Whoever shows that an unpaid bill closes the organization. */
let onUnpaid: (() => void) | undefined;

/** Says whom to tell that a call was refused because of an unpaid bill. */
export function whenUnpaid(listener: (() => void) | undefined): void {
  onUnpaid = listener;
}

const ofThisPage: Interceptor = (next) => async (req) => {
  const calledFor = sessionId;
  req.header.set(header, calledFor);
  try {
    return await next(req);
  } catch (error) {
    if (calledFor !== unknown) note(error);
    throw error;
  }
};

/** Tells of what concerns the whole page. */
function note(error: unknown): void {
  const { kind } = failureOf(error);
  if (kind === "session_changed") onSessionChange();
  else if (kind === "signed_out") onSessionEnd?.();
  else if (kind === "billing_blocked") onUnpaid?.();
}

/** The headers by which a call counts as this page's own. */
export function pageHeaders(): readonly (readonly [string, string])[] {
  return [[header, sessionId]];
}

/** A call that is no RPC, under the same session. `errorOf` makes the error of an answer that is none. */
export async function pageFetch(
  path: string,
  init: RequestInit,
  errorOf: (answer: Response) => Promise<Error>,
): Promise<Response> {
  const calledFor = sessionId;
  const headers = new Headers(init.headers);
  headers.set(header, calledFor);
  const answer = await fetch(path, { ...init, headers }).catch(unreached);
  if (answer.ok) return answer;
  const error = await errorOf(answer);
  if (calledFor !== unknown) note(error);
  throw error;
}

/** What a fetch throws that got no answer, as the transport says it. */
function unreached(error: unknown): never {
  throw new ConnectError(
    error instanceof Error ? error.message : String(error),
    Code.Unavailable,
    undefined,
    [],
    error,
  );
}

/** The transport of all calls. */
export const transport: Transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: !import.meta.env.DEV,
  interceptors: [ofThisPage],
});
