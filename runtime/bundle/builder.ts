// Builds the engines of bundles beside the thread that answers evaluations. A thread of its own does the heavy work
// (build-thread.ts). Compiled patterns and conditions cannot be sent between threads, so this thread compiles them, in
// slices. The other thread is started when it is first needed, and ended after some time without work. If it fails, the
// runtime goes on with the engine that it has. One failure ends the whole process: a single allocation that exceeds the
// thread's heap by far, against which V8 protects no thread. Publishing refuses what would come near it
// (src/platform/work), in a process with no more memory than the thread has here.
//
// An engine is built once for each content, as long as somebody holds it: a candidate that is activated is in force
// without another build, and runtimes in one process share an engine.

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { create } from "@bufbuild/protobuf";
import { BundleSchema, type Part, PartSchema, type Statement } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { ManifestPayload } from "../../src/kit/bundle/statement-payload.ts";
import type { SignedStatement } from "../../src/kit/crypto/statement.ts";
import { type Engine, type EngineSource, engineSteps } from "../engine/engine.ts";
import { learnPatterns } from "../engine/pattern/compile-pattern.ts";
import type { StoredFacts } from "../engine/pattern/pattern-facts.ts";
import { addTables, emptyTables, type Tables } from "../engine/scan/table-cache.ts";
import type { BuildAnswer, BuildChunk, BuildRequest, VerifyRequest } from "./build-message.ts";
import { asRejection, type BundleContent, modelsOf, sourceOf, type VerifiedContent } from "./compile.ts";
import { BundleRejection } from "./rejection.ts";
import { shareBytes } from "./shared-memory.ts";
import { inSlices } from "./slices.ts";
import { type HeldParts, type MessageCheck, type VerifiedBundle, wholeBundle } from "./verify.ts";

/** How the thread is kept within bounds. */
export interface BuilderOptions {
  /** Max memory of its heap. Default: 1 GiB. */
  readonly maxMegabytes?: number;
  /** Max time for one bundle. Default: two minutes. */
  readonly timeoutMs?: number;
  /** How long it stays when it has nothing to do. Default: one minute. */
  readonly idleMs?: number;
  /** The program of the thread. Only tests replace it. */
  readonly program?: URL;
}

interface Pending {
  readonly resolve: (answer: BuildAnswer) => void;
  readonly reject: (error: Error) => void;
}

// Node runs the sources (.ts) and their packed form (.js).
const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const buildThread = new URL(`./build-thread.${extension}`, import.meta.url);

/** Builds engines. One is enough for a process. */
export class BundleBuilder {
  readonly #options: Required<BuilderOptions>;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  readonly #pending = new Map<number, Pending>();
  /** Engines that were built, and those that are being built, by their content. */
  readonly #engines = new Map<string, WeakRef<Engine> | Promise<Engine>>();
  #count = 0;

  constructor(options: BuilderOptions = {}) {
    this.#options = { maxMegabytes: 1024, timeoutMs: 120_000, idleMs: 60_000, program: buildThread, ...options };
  }

  /** Does what `verifyBundle` does. The parts of the bundle are in shared memory afterwards. */
  async verify({ bundle, held = new Map(), ...check }: MessageCheck): Promise<VerifiedBundle> {
    const { manifest, activation, keys } = bundle;
    const parts = await sharedParts(bundle.parts);
    const sharedHeld = await inSharedMemory(held);
    const { verification } = await this.#ask({
      kind: "verify",
      check,
      statements: { manifest: plain(manifest), activation: plain(activation), keys: plain(keys) },
      parts: parts.map(({ path, data }) => ({ path, data })),
      held: sharedHeld,
    });
    if (verification === undefined || activation === undefined)
      throw new Error("a bundle that holds has an activation");
    const { manifest: payload, digest, hasNewerKeys } = verification;
    const all = matchedParts(payload, parts, sharedHeld);
    return {
      manifest: payload,
      digest,
      activation: { ...verification.activation, statement: activation },
      parts: all,
      bundle: wholeBundle(create(BundleSchema, { manifest, activation, keys, parts }), all),
      keySet: hasNewerKeys ? keys : undefined,
    };
  }

  /**
   * Builds the engine of a verified bundle, or returns the one that was built of the same content. Tables that the
   * engine in force has already are reused. Throws a BundleRejection; its reason is `build_failed` when the failure is
   * probably not the bundle's fault.
   */
  async build(content: VerifiedContent, inForce: Tables = emptyTables()): Promise<Engine> {
    const key = sourceOf(content);
    const known = this.#engines.get(key);
    const former = known instanceof WeakRef ? known.deref() : known;
    if (former !== undefined) return former;
    const building = this.#build(content, inForce);
    this.#engines.set(key, building);
    try {
      const engine = await building;
      this.#engines.set(key, new WeakRef(engine));
      return engine;
    } catch (error) {
      this.#engines.delete(key);
      throw error;
    } finally {
      this.#forgetUnused();
    }
  }

  #forgetUnused(): void {
    for (const [key, engine] of this.#engines)
      if (engine instanceof WeakRef && engine.deref() === undefined) this.#engines.delete(key);
  }

  async #build({ manifest, parts }: BundleContent, inForce: Tables): Promise<Engine> {
    const common = await inSharedMemory(parts);
    const { environment, project_id: projectId } = manifest;
    const { port1: here, port2: there } = new MessageChannel();
    const known = { automata: [...inForce.automata.keys()], indexes: [...inForce.indexes.keys()] };
    const rest = {
      dfas: [...inForce.dfas.keys()],
      prefixSets: [...inForce.prefixSets.keys()],
      marks: [...inForce.marks.keys()],
    };
    try {
      await this.#ask({
        kind: "build",
        environment,
        projectId,
        parts: common,
        known: { ...known, ...rest },
        chunks: there,
      });
      const steps = linkSteps(here, { environment, projectId, models: modelsOf(common), inForce });
      return await inSlices(steps);
    } catch (error) {
      throw asRejection(error);
    } finally {
      here.close();
    }
  }

  /** Ends the thread. Work under way is refused. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#thread?.terminate();
  }

  #ask(request: Question<BuildRequest> | Question<VerifyRequest>): Promise<BuildAnswer> {
    const id = ++this.#count;
    const thread = this.#start();
    clearTimeout(this.#idle);
    return new Promise<BuildAnswer>((resolve, reject) => {
      const { timeoutMs } = this.#options;
      const overdue = setTimeout(() => {
        this.#lose(thread, `building the bundle took longer than ${timeoutMs} ms`);
        void thread.terminate();
      }, timeoutMs);
      const settle = () => {
        clearTimeout(overdue);
        this.#pending.delete(id);
        if (this.#pending.size === 0) this.#rest();
      };
      this.#pending.set(id, {
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      thread.postMessage({ ...request, id }, request.kind === "build" ? [request.chunks] : []);
    });
  }

  #start(): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const { maxMegabytes, program } = this.#options;
    const thread = new Worker(program, {
      name: "bundle-builder",
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
      stdout: false,
      stderr: false,
    });
    thread.unref();
    thread.on("message", (answer: BuildAnswer) => {
      const { id, refusal } = answer;
      const pending = this.#pending.get(id);
      if (refusal === undefined) pending?.resolve(answer);
      else pending?.reject(new BundleRejection(refusal.reason, refusal.message));
    });
    thread.on("error", (error) => this.#lose(thread, error.message));
    thread.on("exit", () => this.#lose(thread, "the thread that builds bundles has ended"));
    this.#thread = thread;
    return thread;
  }

  #lose(thread: Worker, why: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    const message = `the bundle could not be built: ${why}`;
    for (const pending of [...this.#pending.values()]) pending.reject(new BundleRejection("build_failed", message));
  }

  #rest(): void {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#idle = setTimeout(() => {
      this.#thread = undefined;
      void thread?.terminate();
    }, this.#options.idleMs).unref();
  }
}

type Question<T> = Omit<T, "id">;

function plain(statement: Statement | undefined): SignedStatement | undefined {
  if (statement === undefined) return undefined;
  const { payload, signatures } = statement;
  return {
    payload,
    signatures: signatures.map(({ protected: header, signature }) => ({ protected: header, signature })),
  };
}

async function inSharedMemory(parts: ReadonlyMap<string, Uint8Array>): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const copies = await inSlices(shareBytes([...parts.values()]));
  return new Map([...parts.keys()].map((key, index) => [key, copies[index] ?? new Uint8Array()]));
}

/** The parts that a verified manifest lists: those of the message, and those that were at hand. */
function matchedParts(
  { parts: listed }: ManifestPayload,
  parts: readonly Part[],
  held: HeldParts,
): ReadonlyMap<string, Uint8Array> {
  const sent = new Map(parts.map(({ path, data }) => [path, data]));
  return new Map(listed.map(({ path, digest }) => [path, sent.get(path) ?? held.get(digest) ?? new Uint8Array()]));
}

async function sharedParts(parts: readonly Part[]): Promise<Part[]> {
  const copies = await inSlices(shareBytes(parts.map(({ data }) => data)));
  return parts.map(({ path, data }, index) => create(PartSchema, { path, data: copies[index] ?? data }));
}

/** The source of an engine, besides the chunks. */
interface LinkSource extends Pick<EngineSource, "environment" | "projectId" | "models"> {
  readonly inForce: Tables;
}

/** Takes the chunks one at a time, then compiles the patterns and conditions that cannot be sent. */
function* linkSteps(chunks: MessagePort, { inForce, ...source }: LinkSource): Generator<void, Engine> {
  const policies = [];
  const lists = [];
  const schemas = [];
  const overlays = [];
  const facts: (readonly [string, StoredFacts])[] = [];
  const tables = emptyTables();
  addTables(tables, inForce);
  for (let chunk = nextOf(chunks); chunk !== undefined; chunk = nextOf(chunks)) {
    if (chunk.kind === "policy") policies.push(chunk.policy);
    else if (chunk.kind === "list") lists.push(chunk.list);
    else if (chunk.kind === "schema") schemas.push(chunk.schema);
    else if (chunk.kind === "overlay") overlays.push(chunk.overlay);
    else if (chunk.kind === "facts") facts.push(...chunk.facts);
    else addTables(tables, chunk.tables);
    yield;
  }
  learnPatterns(facts);
  return yield* engineSteps({ ...source, policies, lists, schemas, overlays }, { tables });
}

function nextOf(chunks: MessagePort): BuildChunk | undefined {
  const received: { message: BuildChunk } | undefined = receiveMessageOnPort(chunks);
  return received?.message;
}
