// The stream between a runtime and the control plane. A stream handles one batch at a time: the next message is read
// when the batch is committed, and HTTP/2's flow control holds the runtime back meanwhile. The stream ends when the
// runtime ends it, when its token is revoked, or, after the present batch, when the process ends or the stream is old.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type EnrolResponseSchema,
  LeaseWish,
  type QuotaSchema,
  QuotaState,
  type ReportingService,
  type ReportRequest,
  type Status,
  type TokenDigestSchema,
} from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { Quota, QuotaAnswer, QuotaSession } from "../../domain/billing/quota.ts";
import type { Candidates } from "../../domain/bundle/candidate.ts";
import { type Enrolled, type Enrolment, sourceOf } from "../../domain/fleet/enrolment.ts";
import type { Fleet } from "../../domain/fleet/fleet.ts";
import type { Ingest, IngestSource } from "../../domain/fleet/ingest.ts";
import { credentialKindOf } from "../../domain/identity/token.ts";
import type { Witnesses } from "../../domain/telemetry/witness.ts";
import { unauthenticated, validationFailed } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import { isUuid } from "../../kit/process/id.ts";
import { type Caller, callerOf, connectionKey } from "../../kit/rpc/context.ts";
import { nextMessage } from "../../platform/next-message.ts";
import { comparisonOf } from "../bundle/candidate.ts";
import { statementMessage } from "../bundle/statement.ts";
import { timestamp } from "../time.ts";
import { ReportOutbox } from "./report-outbox.ts";
import { StatusWriter } from "./status-writer.ts";

/**
 * How old a stream becomes. Then its connection is retired and it ends, so that the runtime comes back over another one,
 * which a balancer may lead to a control plane that was added meanwhile. Varied by a fifth, so that a fleet that came at
 * once does not come back at once.
 */
const maxAgeMs = 10 * 60_000;
const ageSpread = 0.2;

/** Leases that a runtime may name. */
const heldLimit = 64;

/** What the handlers call. */
export interface ReportingParts {
  readonly enrolment: Enrolment;
  readonly ingest: Ingest;
  readonly fleet: Fleet;
  readonly quota: Quota;
  readonly candidates: Candidates;
  readonly witnesses: Witnesses;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random?: () => number;
}

/** Handlers of ReportingService. */
export function reportingHandlers(parts: ReportingParts): ServiceImpl<typeof ReportingService> {
  return {
    enrol: async ({ instanceId, softwareVersion }, context) => {
      const source = sourceOf(callerOf(context), instanceId);
      return enrolMessage(source, await parts.enrolment.enrol(source, softwareVersion));
    },
    report: (requests, context) =>
      report(parts, callerOf(context), requests, {
        signal: context.signal,
        retire: () => context.values.get(connectionKey).retire?.(),
      }),
  };
}

async function* report(
  parts: ReportingParts,
  caller: Caller,
  requests: AsyncIterable<ReportRequest>,
  { signal, retire }: { readonly signal: AbortSignal; readonly retire: () => void },
) {
  const { clock } = parts;
  const endsAtMs = clock.now().getTime() + ageLimitMs(parts.random ?? Math.random);
  const iterator = requests[Symbol.asyncIterator]();
  const { source, softwareVersion } = await greeting(parts.enrolment, caller, iterator);
  const outbox = new ReportOutbox();
  outbox.welcome({ takesTallies: true });
  const leases = parts.quota.open(source);
  const stopping = new AbortController();
  const onAbort = () => outbox.end(signal.reason ?? new Error("the call was aborted"));
  signal.addEventListener("abort", onAbort, { once: true });
  const tokenDigest = caller.credential.digest ?? "";
  let expiresAt: Date | undefined;
  const leave = parts.fleet.join({
    orgId: source.orgId,
    projectId: source.projectId,
    environment: source.environment,
    tokenDigest,
    bundleChanged: (activationSeq) => outbox.bundleChanged(activationSeq),
    tokensChanged: (tokens) => {
      expiresAt = tokens.find(({ digest }) => digest.toString("hex") === tokenDigest)?.expiresAt ?? undefined;
      outbox.tokensChanged(tokens.map(tokenMessage));
    },
    quotaChanged: () => {
      // A failure is made up for by the next status, a few seconds later.
      leases.refresh().then(
        (answer) => outbox.quota(quotaMessage(answer)),
        () => undefined,
      );
    },
    revoked: () => outbox.end(unauthenticated()),
    stop: () => stopping.abort(),
  });
  const isExpired = () => expiresAt !== undefined && expiresAt <= clock.now();
  const isOld = () => clock.now().getTime() >= endsAtMs;
  const within = { softwareVersion, outbox, leases, stopping: stopping.signal, isExpired, isOld, retire };
  const reading = read(parts, source, iterator, within);
  try {
    yield* outbox.messages();
  } finally {
    signal.removeEventListener("abort", onAbort);
    stopping.abort();
    // The present batch is committed or rolled back before the stream counts as ended.
    await reading;
    leave();
  }
}

/** Reads the first message, which has to name the sender. */
async function greeting(
  enrolment: Enrolment,
  caller: Caller,
  iterator: AsyncIterator<ReportRequest>,
): Promise<{ source: IngestSource; softwareVersion: string }> {
  const first = await iterator.next();
  const hello = first.done === true || first.value.message.case !== "hello" ? undefined : first.value.message.value;
  if (hello === undefined || !isUuid(hello.instanceId)) {
    throw validationFailed([{ field: "hello", message: "the first message of the stream has to be a hello" }]);
  }
  const source = sourceOf(caller, hello.instanceId);
  const { softwareVersion } = hello;
  await enrolment.greet(source, softwareVersion);
  return { source, softwareVersion };
}

interface Reading {
  readonly softwareVersion: string;
  readonly outbox: ReportOutbox;
  readonly leases: QuotaSession;
  readonly stopping: AbortSignal;
  readonly isExpired: () => boolean;
  readonly isOld: () => boolean;
  /** Asks the runtime to come back over another connection. */
  readonly retire: () => void;
}

function ageLimitMs(random: () => number): number {
  return maxAgeMs * (1 - ageSpread + 2 * ageSpread * random());
}

/** Handles messages until the runtime ends the stream, something fails, or the process stops. Never rejects. */
async function read(
  { enrolment, ingest, candidates, witnesses }: ReportingParts,
  source: IngestSource,
  iterator: AsyncIterator<ReportRequest>,
  { softwareVersion, outbox, leases, stopping, isExpired, isOld, retire }: Reading,
): Promise<void> {
  const statuses = new StatusWriter((status) => enrolment.noteStatus(source, softwareVersion, status));
  try {
    for (;;) {
      const next = await nextMessage(iterator, stopping);
      if (next === undefined || next.done === true) break;
      if (isExpired()) throw unauthenticated();
      await handle(next.value, { ingest, candidates, witnesses, source, outbox, statuses, leases });
      if (outbox.isEnding) break;
      // Runtimes send a status every five seconds, so this is asked often enough.
      if (!isOld()) continue;
      retire();
      break;
    }
    outbox.end();
  } catch (error) {
    outbox.end(error ?? new Error("the stream failed"));
  } finally {
    await statuses.close();
  }
}

async function handle(
  { message }: ReportRequest,
  {
    ingest,
    candidates,
    witnesses,
    source,
    outbox,
    statuses,
    leases,
  }: {
    readonly ingest: Ingest;
    readonly candidates: Candidates;
    readonly witnesses: Witnesses;
    readonly source: IngestSource;
    readonly outbox: ReportOutbox;
    readonly statuses: StatusWriter;
    readonly leases: QuotaSession;
  },
): Promise<void> {
  switch (message.case) {
    case "batch": {
      const { takenSeq } = await ingest.ingest(source, message.value);
      outbox.acknowledge(takenSeq);
      // A part of it was counted over an earlier stream. The runtime sends the rest over the next one.
      if (takenSeq < message.value.lastSeq) outbox.end();
      return;
    }
    case "gap":
      // A gap has a sequence number of the spool, as a batch does.
      await ingest.noteGap(source, message.value);
      return outbox.acknowledge(message.value.lastSeq);
    case "status":
      statuses.write(message.value);
      outbox.quota(await answerOf(leases, message.value));
      return tellCheckpoint(witnesses, source, message.value, outbox);
    case "candidate":
      return candidates.note(source, comparisonOf(message.value));
    case "hello":
      throw validationFailed([{ field: "hello", message: "a stream has only one hello" }]);
    default:
      // A message of a newer runtime cannot be handled and gets no answer.
      return;
  }
}

/** Tells a witness the newest checkpoint. */
async function tellCheckpoint(
  witnesses: Witnesses,
  source: IngestSource,
  { witnessedSize: size, witnessedRoot: root, witnessedEpoch: epoch, evidenceFork: fork }: Status,
  outbox: ReportOutbox,
): Promise<void> {
  const found = await witnesses.answer(source, { size, root, epoch, fork });
  if (found === undefined) return;
  const { note, fromSize, hashes, keySet, epoch: begun } = found;
  outbox.checkpoint({
    ...{ note, fromSize, hashes: [...hashes], keySet: statementMessage(keySet) },
    ...(begun && { epoch: statementMessage(begun) }),
  });
}

async function answerOf(leases: QuotaSession, { leases: held, leaseWish, leaseDemand }: Status) {
  const wish = leaseWish === LeaseWish.NOW ? "now" : leaseWish === LeaseWish.NEXT_MONTH ? "next_month" : undefined;
  const ids = held.filter((id) => isUuid(id)).slice(0, heldLimit);
  return quotaMessage(await leases.answer(ids, wish, leaseDemand));
}

const quotaStates = {
  leased: QuotaState.LEASED,
  unlimited: QuotaState.UNLIMITED,
  exhausted: QuotaState.EXHAUSTED,
  blocked: QuotaState.BLOCKED,
} as const;

function quotaMessage({
  state,
  leases,
  limit,
  used,
  resetsAt,
  advice,
}: QuotaAnswer): MessageInitShape<typeof QuotaSchema> {
  return {
    state: quotaStates[state],
    leases: leases.map(({ id, size, startsAt, endsAt }) => ({
      leaseId: id,
      size,
      startsAt: timestamp(startsAt),
      endsAt: timestamp(endsAt),
    })),
    limit,
    used,
    resetsAt: timestamp(resetsAt),
    advice,
  };
}

function enrolMessage(
  source: IngestSource,
  { keys, tokens, fingerprintKey }: Enrolled,
): MessageInitShape<typeof EnrolResponseSchema> {
  return {
    orgId: source.orgId,
    projectId: source.projectId,
    environment: source.environment,
    keys: keys.keys.map(({ kty, crv, x, kid, alg, use }) => ({ kty, crv, x, kid, alg, use })),
    keySet: statementMessage(keys.statement),
    tokens: tokens.map(tokenMessage),
    fingerprintKey,
  };
}

function tokenMessage(token: Enrolled["tokens"][number]): MessageInitShape<typeof TokenDigestSchema> {
  return {
    sha256: new Uint8Array(token.digest),
    kind: credentialKindOf(token.kind),
    projectId: token.projectId ?? "",
    environment: token.environment ?? "",
    notAfter: timestamp(token.expiresAt),
  };
}
