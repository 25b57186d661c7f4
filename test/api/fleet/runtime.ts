// A runtime as far as the control plane can tell: a stream that tests write to and read from.

import { randomUUID } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { EvaluationRecord } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import {
  ReportingService,
  type ReportRequestSchema,
  type ReportResponse,
  type TokenDigest,
} from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";

type Message = NonNullable<MessageInitShape<typeof ReportRequestSchema>["message"]>;
type News = ReportResponse["message"];

/** A client of the reporting service. */
export function reportingClient(baseUrl: string): Client<typeof ReportingService> {
  return createClient(ReportingService, createGrpcTransport({ baseUrl }));
}

/** Headers of a call with this token. */
export function bearer(token: string | undefined): HeadersInit {
  return { authorization: `Bearer ${token}` };
}

/** One open stream. */
export class RuntimeStream {
  readonly instanceId: string;
  /** Everything that has arrived. */
  readonly news: News[] = [];
  /** How the stream ended: "end", or the error's text. */
  readonly ended: Promise<string>;
  readonly #abort = new AbortController();
  readonly #waiting: Message[] = [];
  #wake = Promise.withResolvers<void>();
  #isFinished = false;
  #nextSeq: number;

  constructor(
    baseUrl: string,
    token: string | undefined,
    options: {
      readonly instanceId?: string;
      readonly firstSeq?: number;
      readonly client?: Client<typeof ReportingService>;
    } = {},
  ) {
    this.instanceId = options.instanceId ?? randomUUID();
    this.#nextSeq = options.firstSeq ?? 1;
    const responses = (options.client ?? reportingClient(baseUrl)).report(this.#requests(), {
      headers: bearer(token),
      signal: this.#abort.signal,
    });
    this.ended = this.#read(responses);
  }

  /** Says who speaks. */
  hello(): this {
    return this.send({ case: "hello", value: { instanceId: this.instanceId, softwareVersion: "1.0.0" } });
  }

  /** Sends a message. */
  send(message: Message): this {
    this.#waiting.push(message);
    this.#wake.resolve();
    return this;
  }

  /** Sends a batch; returns its last sequence number. */
  report(records: EvaluationRecord[]): number {
    const firstSeq = this.#nextSeq;
    this.#nextSeq += records.length;
    this.send({ case: "batch", value: { firstSeq, lastSeq: this.#nextSeq - 1, records } });
    return this.#nextSeq - 1;
  }

  /** The highest acknowledged sequence number; 0 before the first. */
  get acked(): number {
    return Math.max(0, ...this.news.flatMap((news) => (news.case === "ack" ? [news.value.lastSeq] : [])));
  }

  /** The newest activation that the runtime was told of. */
  get activationSeq(): number | undefined {
    return this.news.flatMap((news) => (news.case === "bundleChanged" ? [news.value.activationSeq] : [])).at(-1);
  }

  /** The newest list of tokens. */
  get tokens(): readonly TokenDigest[] | undefined {
    return this.news.flatMap((news) => (news.case === "tokensChanged" ? [news.value.tokens] : [])).at(-1);
  }

  /** Ends the runtime's half. */
  finish(): void {
    this.#isFinished = true;
    this.#wake.resolve();
  }

  /** Breaks the call off. */
  abort(): void {
    this.#abort.abort();
    this.finish();
  }

  async *#requests() {
    for (;;) {
      this.#wake = Promise.withResolvers();
      const message = this.#waiting.shift();
      if (message !== undefined) yield { message };
      else if (this.#isFinished) return;
      else await this.#wake.promise;
    }
  }

  async #read(responses: AsyncIterable<ReportResponse>): Promise<string> {
    try {
      for await (const { message } of responses) this.news.push(message);
      return "end";
    } catch (error) {
      return String(error);
    } finally {
      this.finish();
    }
  }
}
