// Reports over one bidirectional stream, which carries the spool to the control plane and news back. Full batches are
// sent while earlier ones wait for their acknowledgement, up to a window. A small batch is sent at once when no other
// waits, and else collects records until then (Nagle's algorithm, RFC 896), since each batch costs the control plane a
// transaction. Records that are not acknowledged when the stream breaks are sent again over the next one, and the
// control plane stores them once.

import { setTimeout as timer } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import {
  type CandidateTally,
  type LeaseWish,
  type Quota,
  type ReportingService,
  type ReportRequest,
  ReportRequestSchema,
  type ReportResponse,
  type TokenDigest,
  type WitnessedCheckpoint,
} from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { Logger } from "../../../src/kit/observability/log.ts";
import { type BackOff, backOffMs } from "../../../src/kit/process/back-off.ts";
import { runtimeVersion } from "../../bundle/version.ts";
import type { Spool } from "../spool/spool.ts";
import { CountedIds, Outgoing } from "./outgoing.ts";
import { Signal } from "./signal.ts";
import { Window } from "./window.ts";

/** The state of the runtime, for the control plane's list of runtimes. */
export interface RuntimeStatus {
  readonly bundleVersion: number;
  readonly activationSeq: number;
  readonly rejection: string;
  /** Leases that it holds. */
  readonly refusedBackends?: string[];
  /** What its operator says about it. */
  readonly labels?: { [key: string]: string };
  readonly leases: string[];
  readonly leaseWish: LeaseWish;
  readonly leaseDemand: number;
  /** What it keeps as a witness of the log of evidence. */
  readonly witnessedSize?: number;
  readonly witnessedRoot?: Uint8Array<ArrayBuffer>;
  readonly evidenceFork?: { readonly kept: string; readonly received: string } | undefined;
}

/** Options of a reporter. */
export interface ReporterOptions {
  readonly client: Client<typeof ReportingService>;
  readonly instanceId: string;
  readonly spool: Spool;
  readonly status: () => RuntimeStatus;
  readonly onBundleChanged: () => void;
  readonly onTokens: (tokens: readonly TokenDigest[]) => void;
  /** The counts of a candidate since the last call. */
  readonly candidateTally: () => CandidateTally | undefined;
  readonly onQuota: (quota: Quota) => void;
  readonly onCheckpoint: (checkpoint: WitnessedCheckpoint) => void;
  /** Whether records may be left out of batches and be counted instead; undefined until it is known. Default: never. */
  readonly maySample?: () => boolean | undefined;
  /** Called before a stream opens; an error counts as a failure to connect. */
  readonly onConnect: (signal: AbortSignal) => Promise<void>;
  readonly log: Logger;
  /** Sleeps before the next stream; rejects when aborted. */
  readonly sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** A number in [0, 1). */
  readonly random?: () => number;
  /** Milliseconds from some moment on. */
  readonly nowMs?: () => number;
}

const statusEveryMs = 5_000;
/** Min time from one tally of a candidate to the next, however many statuses are sent in between. */
const tallyEveryMs = 1_000;
/** How often the spool is read while records are collected, whatever is added to it. */
const collectEveryMs = 250;
const backOff: BackOff = { baseMs: 100, maxMs: 30_000, jitter: "above-base" };

/** Reports until stopped. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #stop = new AbortController();
  /** Raised when there is something to send: a record, an acknowledgement that opens the window, the end. */
  readonly #wakeUp = new Signal();
  readonly #finished: Promise<void>;
  readonly #counted = new CountedIds();
  #isConnected = false;
  #isStatusDue = false;
  #isCollecting = false;
  #isEnding = false;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#finished = this.#run();
  }

  /** Whether a stream is open. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Says that the spool has a new record. */
  notify(): void {
    if (!this.#isCollecting) this.#wakeUp.raise();
  }

  /** Says that the status changed, so that it is sent at once. */
  notifyStatus(): void {
    this.#isStatusDue = true;
    this.#wakeUp.raise();
  }

  /** Waits until everything is acknowledged or the signal aborts, then ends the stream. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isEnding = true;
    this.#wakeUp.raise();
    while (!signal.aborted && this.#isConnected && this.#options.spool.depth() > 0) {
      await timer(20, undefined, { signal }).catch(() => undefined);
    }
    this.#stop.abort();
    this.#wakeUp.raise();
    await this.#finished;
  }

  async #run(): Promise<void> {
    const { log, random = Math.random, sleep = pause } = this.#options;
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const hadSuccess = await this.#stream().catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          log.warn({ err: error }, "the reporting stream broke; evaluations stay in the spool");
        return false;
      });
      this.#isConnected = false;
      failures = hadSuccess ? 0 : failures + 1;
      await sleep(backOffMs(failures, backOff, random), this.#stop.signal).catch(() => undefined);
    }
  }

  /** One stream from its opening to its end. True when it got as far as an answer. */
  async #stream(): Promise<boolean> {
    const { client, onConnect, log } = this.#options;
    await onConnect(this.#stop.signal);
    const stream = new Window(this.#options.spool.firstSeq);
    const end = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, end.signal]);
    let answered = false;
    try {
      for await (const response of client.report(this.#requests(stream, signal), { signal })) {
        if (!answered) log.info("reporting stream is open");
        answered = true;
        this.#isConnected = true;
        this.#take(response, stream);
      }
      return answered;
    } catch (error) {
      if (answered) log.warn({ err: error }, "the reporting stream broke");
      else throw error;
      return answered;
    } finally {
      stream.close();
      end.abort();
      this.#wakeUp.raise();
    }
  }

  async *#requests(stream: Window, signal: AbortSignal): AsyncGenerator<ReportRequest> {
    const { instanceId, spool, maySample = () => false, nowMs = () => performance.now() } = this.#options;
    const outgoing = new Outgoing({
      ...{ spool, window: stream, counted: this.#counted },
      maySample: () => stream.takesTallies === true && maySample() === true,
      isEnding: () => this.#isEnding,
      nowMs,
    });
    yield request({ case: "hello", value: { instanceId, softwareVersion: runtimeVersion } });
    let statusAtMs = Number.NEGATIVE_INFINITY;
    let tallyAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      if (this.#isStatusDue || performance.now() - statusAtMs >= statusEveryMs) {
        this.#isStatusDue = false;
        statusAtMs = performance.now();
        yield request({ case: "status", value: { ...this.#options.status(), spoolDepth: spool.depth() } });
      }
      const isTallyDue = performance.now() - tallyAtMs >= tallyEveryMs;
      const tally = isTallyDue ? this.#options.candidateTally() : undefined;
      if (tally !== undefined) {
        tallyAtMs = performance.now();
        yield request({ case: "candidate", value: tally });
      }
      // The first answers of the control plane say whether it takes tallies, and whether the plan has a limit.
      const isSampled = maySample();
      const isUnsure = isSampled === undefined || (isSampled && stream.takesTallies === undefined);
      const message = isUnsure ? undefined : await outgoing.next();
      if (message !== undefined) yield request(message);
      else await this.#rest(isSampled === true && !isUnsure);
    }
  }

  async #rest(isCollecting: boolean): Promise<void> {
    this.#isCollecting = isCollecting;
    await this.#wakeUp.next(isCollecting ? collectEveryMs : statusEveryMs);
    this.#isCollecting = false;
  }

  #take({ message }: ReportResponse, stream: Window): void {
    if (stream.takesTallies === undefined) {
      stream.takesTallies = message.case === "welcome" && message.value.takesTallies;
      this.#wakeUp.raise();
    }
    switch (message.case) {
      case "ack":
        this.#options.spool.acknowledge(message.value.lastSeq);
        stream.acknowledged(message.value.lastSeq);
        this.#wakeUp.raise();
        break;
      case "bundleChanged":
        this.#options.onBundleChanged();
        break;
      case "tokensChanged":
        this.#options.onTokens(message.value.tokens);
        break;
      case "quota":
        this.#options.onQuota(message.value);
        this.#wakeUp.raise();
        break;
      case "checkpoint":
        this.#options.onCheckpoint(message.value);
        break;
      default:
        // A newer control plane may send messages that this version does not know.
        break;
    }
  }
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return timer(delayMs, undefined, { signal });
}

type RequestMessage = NonNullable<Parameters<typeof create<typeof ReportRequestSchema>>[1]>["message"];

function request(message: RequestMessage): ReportRequest {
  return create(ReportRequestSchema, { message });
}
