// Calls of the installations that are compared.

import { setTimeout as sleep } from "node:timers/promises";
import { type Json, parsed } from "./json.ts";

/** A call. */
export interface Call {
  readonly method?: string;
  readonly token?: string;
  readonly body?: Json;
  /** Sent as it stands, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. A body that is no JSON is its text. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/**
 * How often a call is repeated that the product asks to repeat: what is overloaded for a moment is no behaviour to
 * compare.
 */
const maxRepeats = 300;
const pauseMs = 100;

/** Makes a call; one that is answered 503 is repeated. */
export async function call(url: string, { method, token, body, raw, headers = {} }: Call = {}): Promise<Answer> {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  for (let repeat = 0; ; repeat++) {
    const response = await fetch(url, {
      method: method ?? (sent === undefined ? "GET" : "POST"),
      headers: {
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    const text = await response.text();
    if (response.status !== 503 || repeat === maxRepeats) return { status: response.status, body: parsed(text) };
    await sleep(pauseMs);
  }
}

/** Makes a call without which nothing can go on: throws unless its status is 200, 201 or 204. */
export async function demand(url: string, options: Call = {}): Promise<Json> {
  const { status, body } = await call(url, options);
  if ([200, 201, 204].includes(status)) return body;
  throw new Error(`${options.method ?? "call"} ${url} was answered ${status}: ${JSON.stringify(body).slice(0, 2_000)}`);
}

/** Asks until there is an answer; throws after the limit. */
export async function until<T>(what: string, limitMs: number, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not happen within ${limitMs} ms`);
    await sleep(200);
  }
}

/** Does the work with every item, `atOnce` of them at a time; the results are in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const run = async () => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return results;
}
