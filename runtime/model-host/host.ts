// The host of models: a process of its own that runs native code for all runtimes of a machine. Whatever that code does,
// crash, leak or never end, ends this process and no evaluation. It has no secrets, an emptied environment and no
// network but the socket on which it is asked. Runs cannot be cancelled, and ending a thread during one aborts the whole
// process: so there are no threads of ours here, and who wants to stop it kills it.

import { createHash } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { loadAddon } from "./addon.ts";
import { FlightRecord } from "./flight-record.ts";
import { modelsIn } from "./folder.ts";
import type { HostLine, HostOptions } from "./host-options.ts";
import { Judging } from "./judging.ts";
import { LoadFailure } from "./load-failure.ts";
import { machineMs } from "./machine-clock.ts";
import { loadModel, type Model } from "./model.ts";
import {
  type HostMessage,
  type HostState,
  type ModelAnswer,
  type ModelFinding,
  type ModelQuestion,
  type ModelState,
  onFrames,
  sendFrame,
} from "./protocol.ts";
import { Refused, RunQueue } from "./run-queue.ts";

const maxWaiting = 64;
/** A run that takes longer does not end any more. */
const maxRunMs = 60_000;
const aliveEveryMs = 1_000;

const options: HostOptions = JSON.parse(process.argv[2] ?? "{}");
const flight = new FlightRecord(options.flightFile);
const queue = new RunQueue({ threads: options.threads, maxWaiting });
const judging = new Judging(queue, machineMs);
const models = new Map<string, Model>();
const states = new Map<string, ModelState>();
const sockets = new Set<Socket>();
let isSettled = false;

const server = createServer((socket) => {
  sockets.add(socket);
  socket.on("error", () => undefined);
  socket.on("close", () => sockets.delete(socket));
  sendFrame(socket, { state: hostState() });
  onFrames<ModelQuestion>(socket, (question) => {
    void answer(question).then((found) => send(socket, { answer: found }));
  });
});
// The parent holds the other end of this channel: when it goes, so does this process.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
setInterval(() => tellParent("alive"), aliveEveryMs);
server.listen(options.socket, () => void loadAll());

function tellParent(message: "alive" | HostLine): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

function hostState(): HostState {
  return { models: [...states.values()], isSettled, restarts: options.restarts };
}

function send(socket: Socket, message: HostMessage): void {
  if (!socket.destroyed) sendFrame(socket, message);
}

function tellAll(): void {
  for (const socket of sockets) send(socket, { state: hostState() });
}

async function loadAll(): Promise<void> {
  const addon = loadAddon();
  for (const name of modelsIn(options.folder)) {
    states.set(name, { name, state: "loading", isTested: false });
    states.set(name, await load(name, addon));
    tellAll();
  }
  isSettled = true;
  tellAll();
}

async function load(name: string, addon: ReturnType<typeof loadAddon>): Promise<ModelState> {
  // A graph may crash the process that loads it: then it is left out, and the other models go on.
  const digest = digestOfInput("load", name);
  if (isBarred(digest)) return { name, state: "failed", reason: "load_crashed", isTested: false };
  flight.begin(0, digest);
  try {
    const model = await loadModel(join(options.folder, name), addon);
    for (const { tokens, ms } of model.warmUps) queue.times.learn(name, tokens, ms);
    models.set(name, model);
    const isTested = model.settings.fixtures.length > 0;
    log({ model: name, digest: model.digest, isTested }, isTested ? "a model is loaded" : untested);
    return { name, state: "ready", digest: model.digest, isTested };
  } catch (error) {
    const reason = error instanceof LoadFailure ? error.code : "graph_invalid";
    log({ model: name, reason, problem: error instanceof Error ? error.message : String(error) }, "a model is out");
    return { name, state: "failed", reason, isTested: false };
  } finally {
    flight.end(0);
  }
}

const untested = "a model is loaded without fixtures: nothing says whether its tokenizer is right";

function log(facts: HostLine["facts"], message: string): void {
  tellParent({ facts, message });
}

async function answer(question: ModelQuestion): Promise<ModelAnswer> {
  const { id } = question;
  try {
    return { id, ...(await judge(question)) };
  } catch (error) {
    return { id, failure: error instanceof Refused ? error.failure : "error" };
  }
}

async function judge({ model: name, text, digest, endsAtMs }: ModelQuestion) {
  const model = models.get(name);
  if (model === undefined) {
    const isComing = !isSettled && (states.get(name)?.state ?? "loading") === "loading";
    throw new Refused(isComing ? "model_busy" : "model_missing");
  }
  if (digest !== undefined && digest !== model.digest) throw new Refused("model_mismatch");
  const input = digestOfInput(model.digest, text);
  if (isBarred(input)) throw new Refused("model_crash");
  let runMs = 0;
  const run = async (window: readonly number[], lane: number) => {
    flight.begin(lane, input);
    const watchdog = setTimeout(() => process.kill(process.pid, "SIGKILL"), maxRunMs);
    const runAtMs = performance.now();
    try {
      return await model.run(window);
    } finally {
      runMs += performance.now() - runAtMs;
      clearTimeout(watchdog);
      flight.end(lane);
    }
  };
  const { scores, isCut } = await judging.scores({ model: name, text, endsAtMs }, { windowsOf: model.windowsOf, run });
  return { findings: findingsOf(scores, model), isCut, runMs };
}

/** The score of each label that counts: the highest of all windows. */
function findingsOf(scores: readonly (readonly number[])[], { settings }: Model): ModelFinding[] {
  const { labels, ignored, categories } = settings;
  return labels.flatMap((label, index) => {
    if (ignored.has(label)) return [];
    const category = categories.get(label);
    const score = Math.max(0, ...scores.map((each) => each[index] ?? 0));
    return [{ label, score, ...(category !== undefined && { category }) }];
  });
}

function digestOfInput(about: string, text: string): Buffer {
  return createHash("sha256").update(about).update("\n").update(text, "utf16le").digest();
}

function isBarred(digest: Buffer): boolean {
  const untilMs = options.barred[digest.toString("hex")];
  return untilMs !== undefined && Date.now() < untilMs;
}
