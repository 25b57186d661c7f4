// The load of a fleet: evaluations of two organizations, one of them with a limit, and everything that people, programs
// and directories do beside it.

import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../../../src/kit/process/id.ts";
import { policyOf } from "../vector/word-guard.ts";
import type { World } from "../vector/world.ts";
import { type FleetCalls, type Reply, send } from "./fleet-call.ts";
import type { Ledger } from "./kill-load.ts";
import type { FleetWorld } from "./release-worlds.ts";

/** Where to call, and for whom. */
export interface LoadWorld {
  readonly calls: FleetCalls;
  /** Of the balancer in front of the control planes. */
  readonly port: number;
  /** The organization without a limit: evaluations, reads, changes. */
  readonly open: LoadedWorld;
  /** An organization that uses up its plan. */
  readonly limited: LoadedWorld | undefined;
  /** The organization whose directory provisions people. */
  readonly provisioned: FleetWorld;
  /** A new organization that buys a plan. */
  readonly newBuyer: () => Promise<World>;
  /** Ports of the processes that are ready, by what they are. */
  readonly readyPorts: () => { readonly controlPlanes: readonly number[]; readonly openRuntimes: readonly number[] };
}

/** An organization, and the balancer in front of its runtimes. */
export interface LoadedWorld {
  readonly world: FleetWorld;
  readonly runtimePort: number;
}

/** What was answered. */
export interface FleetLedger extends Ledger {
  /** Evaluations of the organization with a limit. */
  readonly limited: Map<string, boolean>;
  /** Users of the directory that are to be there at the end. */
  readonly users: Set<string>;
  /** Organizations that have paid. */
  readonly buyers: Set<string>;
  /** From the answer of an activation to the last ready runtime that has it, in milliseconds, while all is planned. */
  readonly activationMs: number[];
  /** From the answer of a revocation to the last ready process that refuses the token. */
  readonly revocationMs: number[];
}

/** Load that runs until stopped. */
export interface FleetLoad {
  readonly ledger: FleetLedger;
  stop(): Promise<void>;
}

/** Of the organization without a limit. Every second one keeps its connection. */
const evaluators = 4;
/** Leaves the processes time to start while others evaluate. */
const evaluatePauseMs = 20;
const forbiddenShare = 0.03;

/** Starts it. */
export function startFleetLoad(place: LoadWorld, policyId: string, random: () => number): FleetLoad {
  const ledger: FleetLedger = {
    evaluations: new Map(),
    limited: new Map(),
    policyVersions: [],
    bundleVersions: [],
    wrong: [],
    users: new Set(),
    buyers: new Set(),
    activationMs: [],
    revocationMs: [],
  };
  let isOver = false;
  const again = async (pauseMs: number, work: (round: number) => Promise<void>) => {
    for (let round = 0; !isOver; round++) {
      await work(round);
      await sleep(pauseMs);
    }
  };
  const { calls, open, limited } = place;
  const evaluating = { calls, ledger, random };
  const running = [
    ...Array.from({ length: evaluators }, (_, i) =>
      again(evaluatePauseMs, evaluate("open", open, i % 2 === 0, evaluating)),
    ),
    ...(limited === undefined ? [] : [again(evaluatePauseMs, evaluate("limited", limited, true, evaluating))]),
    again(40, read(place)),
    again(400, change(place, ledger, policyId)),
    again(1_000, revoke(place, ledger)),
    again(150, provision(place, ledger)),
    again(1_000, buy(place, ledger)),
  ];
  return {
    ledger,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

/** Evaluates under one id until somebody answers: an evaluation may be made again. */
function evaluate(
  who: "open" | "limited",
  { world, runtimePort: port }: LoadedWorld,
  keeps: boolean,
  { calls, ledger, random }: Pick<LoadWorld, "calls"> & { readonly ledger: FleetLedger; readonly random: () => number },
) {
  const agent = keeps ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
  return async () => {
    const id = newId();
    const isForbidden = random() < forbiddenShare;
    const body = { evaluation_id: id, text: isForbidden ? "a forbidden word" : "a word" };
    let reply: Reply | undefined;
    while (reply === undefined) {
      reply = await calls.make({
        ...{
          kind: `evaluation, ${who}`,
          port,
          method: "POST",
          path: "/v1/evaluate/input",
          token: world.tokens.runtime,
        },
        ...{ body, isRepeatable: true, wanted: who === "limited" ? [200, 403] : [200], ...(agent && { agent }) },
      });
      if (reply === undefined) await sleep(50);
    }
    if (reply.status === 403) {
      if (reply.body.detail?.error !== "plan_limit_exceeded") ledger.wrong.push(`403 ${JSON.stringify(reply.body)}`);
      return;
    }
    const isBlocked = reply.body.blocked === true;
    (who === "open" ? ledger.evaluations : ledger.limited).set(id, isBlocked);
    if (isBlocked !== isForbidden) ledger.wrong.push(`${id} was ${isBlocked ? "blocked" : "let through"}`);
  };
}

function read({ calls, port, open: { world } }: LoadWorld) {
  const paths = ["/policies", "/traces?limit=20", "/traces/analytics?group_by=rule", `/projects/${world.projectId}`];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return async (round: number) => {
    await calls.make({
      ...{ kind: "read", port, method: "GET", path: `/v1/orgs/${world.orgId}${paths[round % paths.length]}` },
      ...{ token: world.tokens.admin, wanted: [200], isRepeatable: true, agent },
    });
  };
}

/** Makes a version of the policy, and every second time a bundle that is to be everywhere soon. */
function change({ calls, port, open: { world }, readyPorts }: LoadWorld, ledger: FleetLedger, policyId: string) {
  const { orgId, projectId, environment, tokens } = world;
  const common = { port, token: tokens.admin, isRepeatable: false };
  return async (round: number) => {
    if (round % 2 === 0) {
      const document = policyOf("forbidden").replace("name: words", `name: words, description: change-${round}`);
      const put = { method: "PUT", path: `/v1/orgs/${orgId}/policies/${policyId}`, body: { document }, wanted: [200] };
      const reply = await calls.make({ kind: "policy", ...common, ...put });
      if (reply !== undefined) ledger.policyVersions.push(reply.body.version);
      return;
    }
    const path = `/v1/orgs/${orgId}/projects/${projectId}/envs/${environment}/bundles/publish`;
    const reply = await calls.make({
      ...{ kind: "publish", ...common, method: "POST", path, body: { activate: true }, wanted: [201] },
    });
    if (reply === undefined) return;
    ledger.bundleVersions.push(reply.body.version);
    const has = async (runtime: number) => {
      const call = { port: runtime, method: "GET", path: "/v1/evaluate/bundle", token: tokens.runtime };
      const loaded = await send({ ...call, isRepeatable: true });
      return !(loaded instanceof Error) && loaded.body.bundle?.version >= reply.body.version;
    };
    const tookMs = await untilAll(() => readyPorts().openRuntimes, has);
    if (tookMs !== undefined) ledger.activationMs.push(tookMs);
  };
}

/** Issues a token of an admin, which control planes and runtimes come to know, and revokes it. */
function revoke({ calls, port, open: { world }, readyPorts }: LoadWorld, ledger: FleetLedger) {
  const { orgId, tokens } = world;
  return async () => {
    const path = `/v1/orgs/${orgId}/tokens`;
    const common = { kind: "token", port, token: tokens.admin, isRepeatable: false };
    const body = { name: "passing" };
    const issued = await calls.make({ ...common, method: "POST", path: `${path}/admin`, body, wanted: [201] });
    if (issued === undefined) return;
    const { id, token } = issued.body;
    const statusAt = async (one: number, isRuntime: boolean) => {
      const call = isRuntime
        ? { method: "POST", path: "/v1/evaluate/input", body: { text: "a word" } }
        : { method: "GET", path: `/v1/orgs/${orgId}` };
      const reply = await send({ port: one, token, isRepeatable: true, ...call });
      return reply instanceof Error ? 0 : reply.status;
    };
    const all = () => {
      const { controlPlanes, openRuntimes } = readyPorts();
      return [...controlPlanes.map((one) => [one, false] as const), ...openRuntimes.map((one) => [one, true] as const)];
    };
    // No runtime evaluates for it, but says so by another status while it knows the token.
    await untilAll(all, async ([one, isRuntime]) => (await statusAt(one, isRuntime)) === (isRuntime ? 403 : 200));
    const gone = await calls.make({ ...common, method: "DELETE", path: `${path}/${id}`, wanted: [204] });
    if (gone === undefined) return;
    const tookMs = await untilAll(all, async ([one, isRuntime]) => (await statusAt(one, isRuntime)) === 401);
    if (tookMs !== undefined) ledger.revocationMs.push(tookMs);
  };
}

const giveUpMs = 60_000;

/** How long it takes until the condition holds for all that are ready; undefined when it does not come to that. */
async function untilAll<T>(all: () => readonly T[], holds: (one: T) => Promise<boolean>): Promise<number | undefined> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < giveUpMs) {
    const held = await Promise.all(all().map(holds));
    if (held.every((each) => each)) return performance.now() - startedAt;
    await sleep(15);
  }
  return undefined;
}

/** A directory: somebody comes, is looked at, and every second one goes. */
function provision({ calls, port, provisioned: { orgId, directoryToken: token } }: LoadWorld, ledger: FleetLedger) {
  return async (round: number) => {
    const common = { kind: "directory", port, token };
    const path = `/v1/orgs/${orgId}/scim/v2/Users`;
    const userName = `user-${newId()}@elsewhere.example`;
    const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"];
    const added = { method: "POST", path, body: { schemas, userName }, wanted: [201], isRepeatable: false };
    const made = await calls.make({ ...common, ...added });
    if (made === undefined) return;
    const { id } = made.body;
    const found = { method: "GET", path: `${path}/${id}`, wanted: [200], isRepeatable: true };
    await calls.make({ ...common, ...found });
    if (round % 2 === 1) return void ledger.users.add(id);
    const removed = { method: "DELETE", path: `${path}/${id}`, wanted: [204], isRepeatable: false };
    await calls.make({ ...common, ...removed });
  };
}

/** Somebody buys a plan and pays. */
function buy({ calls, port, newBuyer }: LoadWorld, ledger: FleetLedger) {
  return async () => {
    const buyer = await newBuyer().catch(() => undefined);
    if (buyer === undefined) return;
    const common = { kind: "checkout", port, method: "POST", isRepeatable: false };
    const begin = { path: "/v1/billing/checkout", token: buyer.tokens.admin, body: { plan: "growth" }, wanted: [201] };
    const begun = await calls.make({ ...common, ...begin });
    if (begun === undefined) return;
    const { pathname, hash } = new URL(begun.body.url);
    const path = `/v1/billing/checkout/${pathname.split("/").at(-1)}/confirm`;
    const body = { key: hash.slice(1), result: "paid" };
    const paid = await calls.make({ ...common, path, body, wanted: [200] });
    if (paid !== undefined) ledger.buyers.add(buyer.orgId);
  };
}
