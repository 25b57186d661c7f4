// Compares what callers were told with what the database and a webhook's target know, once nothing arrives any more.

import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { Database } from "../../../src/store/connection/database.ts";
import type { WebhookSink } from "../net/webhook-sink.ts";
import type { World } from "../vector/world.ts";
import type { Ledger } from "./kill-load.ts";

/**
 * For how long nothing may move before it counts as lost: longer than the longest pause of a runtime whose control
 * plane was away.
 */
const patienceMs = 45_000;

/** Who knows what happened. */
export interface Witnesses {
  readonly database: Database;
  readonly world: Pick<World, "orgId">;
  readonly sink: WebhookSink;
  readonly passTime: () => Promise<void>;
}

/** Waits as long as something still arrives; resolves to what has not, or came twice. */
export async function settle(ledger: Ledger, witnesses: Witnesses, pauseMs = 100): Promise<string[]> {
  let wrong: string[] = [];
  let arrived = 0;
  let movedAt = performance.now();
  do {
    await witnesses.passTime();
    await sleep(pauseMs);
    const seen = await look(ledger, witnesses);
    wrong = seen.wrong;
    // What arrives late may be of before, and what has arrived may still have to be delivered: only that it moves says
    // anything.
    if (seen.arrived > arrived) movedAt = performance.now();
    arrived = seen.arrived;
  } while (wrong.length > 0 && performance.now() - movedAt < patienceMs);
  const { evaluations, policyVersions } = ledger;
  // A load that nobody answered would prove nothing.
  if (evaluations.size === 0 || policyVersions.length === 0) wrong.push("nothing was answered");
  return [...ledger.wrong, ...wrong];
}

/** What has arrived anywhere so far, counted, and what does not hold. */
async function look(
  ledger: Ledger,
  { database, world, sink }: Witnesses,
): Promise<{ readonly arrived: number; readonly wrong: string[] }> {
  const { orgId } = world;
  const { traces, changes, events } = await database.read(orgId, async (tx) => ({
    traces: await tx.sql<{ id: string }>("select id from trace where org_id = ?", [orgId]),
    changes: await tx.sql<{ subject: string }>(committedChanges, [Outcome.BLOCK]),
    events: await tx.sql<{ id: string; name: string; body: string }>(
      "select id, name, body from event where org_id = ?",
      [orgId],
    ),
  }));
  const traced = countOf(traces.map(({ id }) => id));
  const committed = countOf(changes.map(({ subject }) => subject));
  const told = countOf(events.map(({ name, body }) => subjectOf(name, JSON.parse(body).data)));
  const delivered = new Set(sink.requests.map(({ event }) => event.id));
  const wrong: string[] = [];
  for (const [id, isBlocked] of ledger.evaluations) {
    if (traced.get(id) !== 1) wrong.push(`${id} has ${traced.get(id) ?? 0} traces`);
    if (committed.has(`evaluation.blocked ${id}`) !== isBlocked) wrong.push(`${id} is another outcome in its trace`);
  }
  for (const version of ledger.policyVersions) {
    if (!committed.has(`policy.updated ${version}`)) wrong.push(`version ${version} of the policy is gone`);
  }
  for (const version of ledger.bundleVersions) {
    if (!committed.has(`bundle.published ${version}`)) wrong.push(`bundle ${version} is gone`);
  }
  // Whether somebody was answered or not: each change that is there has its event, and each event its change.
  for (const subject of new Set([...committed.keys(), ...told.keys()])) {
    const [is, should] = [told.get(subject) ?? 0, committed.get(subject) ?? 0];
    if (is !== should) wrong.push(`${subject} was committed ${should} times and has ${is} events`);
  }
  for (const { id, name } of events) if (!delivered.has(id)) wrong.push(`${name} ${id} was not delivered`);
  return { arrived: traces.length + events.length + delivered.size, wrong };
}

/**
 * What happened, from the rows of the changes themselves, in the words of `subjectOf`. Row-level security keeps to one
 * organization.
 */
const committedChanges = `
  select 'evaluation.blocked ' || id as subject from trace where outcome = ?
  union all select 'policy.updated ' || version from policy_version
  union all select 'bundle.published ' || version from bundle
  union all select 'bundle.activated ' || version from activation`;

function subjectOf(name: string, data: { readonly evaluation_id?: string; readonly version?: number }): string {
  return `${name} ${data.evaluation_id ?? data.version}`;
}

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Half a minute passes for deliveries: claims of dead workers run out, the sweep comes. */
export async function passTime(worker: pg.Client, orgId: string): Promise<void> {
  await worker.query("select set_config('app.org_id', $1, false)", [orgId]);
  // Not for claims of the last five seconds: those are of a worker that lives, which would make its attempts again and
  // again.
  await worker.query(
    `update webhook_delivery set claimed_until = claimed_until - interval '30 seconds',
       next_attempt_at = next_attempt_at - interval '30 seconds'
     where state = 'pending' and (claimed_until is null or claimed_until <= now() + interval '25 seconds')`,
  );
  await worker.query("select app.wake_overdue_webhooks(now(), now(), 100)");
}
