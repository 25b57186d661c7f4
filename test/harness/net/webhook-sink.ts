// A webhook's target on the loopback network: records requests as they came, and answers as the test says.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it came. */
export interface SunkRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes. */
  readonly body: Buffer;
  /** The body, parsed. */
  readonly event: { readonly id: string; readonly event: string; readonly data: Readonly<Record<string, unknown>> };
}

/** What to answer; "silence" keeps the connection open without a word, "hang-up" closes it. */
export type SinkAnswer =
  | "silence"
  | "hang-up"
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** A listening target. */
export interface WebhookSink {
  readonly url: string;
  readonly requests: readonly SunkRequest[];
  /** Answers to give from now on, by request and by how many have come in all. */
  answerWith(answer: (request: SunkRequest, count: number) => SinkAnswer | Promise<SinkAnswer>): void;
  /** Resolves when this many requests have come in all. */
  received(count: number): Promise<void>;
  /** Requests that were open at once, at most. */
  readonly maxAtOnce: number;
  close(): Promise<void>;
}

/** Starts a target that answers 204. */
export async function startWebhookSink(): Promise<WebhookSink> {
  const requests: SunkRequest[] = [];
  let waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  let answer: (request: SunkRequest, count: number) => SinkAnswer | Promise<SinkAnswer> = () => ({ status: 204 });
  let open = 0;
  let maxAtOnce = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    maxAtOnce = Math.max(maxAtOnce, open);
    response.once("close", () => {
      open -= 1;
    });
    const body = Buffer.concat(await Array.fromAsync(request));
    const sunk = { path: request.url ?? "", headers: request.headers, body, event: JSON.parse(body.toString("utf8")) };
    requests.push(sunk);
    const given = await answer(sunk, requests.length);
    const reached = waiters.filter(({ count }) => count <= requests.length);
    waiters = waiters.filter(({ count }) => count > requests.length);
    for (const { resolve } of reached) resolve();
    respond(response, given);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, // listens on TCP
    requests,
    answerWith(next) {
      answer = next;
    },
    received(count) {
      if (requests.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ count, resolve }));
    },
    get maxAtOnce() {
      return maxAtOnce;
    },
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(response: ServerResponse, answer: SinkAnswer): void {
  if (answer === "silence") return;
  if (answer === "hang-up") return void response.destroy();
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
