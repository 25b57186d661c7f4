// The bundle in force. Each evaluation takes it once, at its start, and uses no other.

import { create } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import {
  type BundleReference,
  BundleReferenceSchema,
  type EvaluateRequest,
} from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { CaptureMode } from "../../gen/policyguard/policy/v1/record_pb.ts";
import type { ActivationPayload, TraceSamplingReference } from "../../src/kit/bundle/statement-payload.ts";
import { Fault } from "../../src/kit/fault/fault.ts";
import type { BackendReference } from "../engine/backend/backend.ts";
import type { Engine } from "../engine/engine.ts";
import { type AgentKeys, agentKeyOf } from "../engine/segment/agent-part.ts";
import { isStale, type VerifiedActivation } from "./activation.ts";
import type { BundleBuilder } from "./builder.ts";
import { agentKeysOf, backendsOf, compileBundle, sourceOf } from "./compile.ts";
import { hasSameOverrides, withOverrides } from "./override.ts";
import { rejectionText } from "./rejection.ts";
import type { VerifiedBundle } from "./verify.ts";
import { makeSwappable, prepare, prepareRequests, warmUpFirst, warmUpFurther } from "./warm-up.ts";

/** Builds the engines of bundles beside the thread that answers evaluations. */
export type EngineBuilder = Pick<BundleBuilder, "build" | "verify">;

/** The bundle in force, compiled. */
export interface LoadedBundle {
  readonly engine: Engine;
  /** The engine without the overrides of the activation: the same one when there are none. */
  readonly bare: Engine;
  /** The detector backends that its policies name. */
  readonly backends: ReadonlyMap<string, BackendReference>;
  /** The agents that its content refers to, by their ids. */
  readonly agents: AgentKeys;
  readonly activation: ActivationPayload;
  readonly reference: BundleReference;
  readonly capture: CaptureMode;
  /** Whether records carry facts for replays. */
  readonly replayFacts: boolean;
  /** Of which evaluations records are sent; undefined for all. */
  readonly sampling?: TraceSamplingReference | undefined;
  readonly loadedAt: Date;
  /** When the control plane last confirmed it; undefined for a bundle from disk that was not confirmed yet. */
  readonly confirmedAt: Date | undefined;
}

const captures = { none: CaptureMode.NONE, redacted: CaptureMode.REDACTED, full: CaptureMode.FULL } as const;

/** Holds the bundle in force. */
export class BundleHolder {
  readonly #builder: EngineBuilder | undefined;
  #loaded: LoadedBundle | undefined;
  /** The engine in force before overrides were applied to it. */
  #base: Engine | undefined;
  /** The source that it was compiled from. */
  #made = "";
  #rejection: string | undefined;
  /** Called when background work on the engine fails; undefined until the runtime takes evaluations. */
  #onProblem: ((error: unknown) => void) | undefined;
  #isWarm = false;

  /** Without a builder, and while no evaluations are blocked by it, bundles are compiled on this thread. */
  constructor({ builder }: { readonly builder?: EngineBuilder } = {}) {
    this.#builder = builder;
  }

  /** The bundle in force; undefined before the first. */
  get loaded(): LoadedBundle | undefined {
    return this.#loaded;
  }

  /** Whether the process is warmed up: its first evaluations compile patterns and code, and are slower. */
  get isWarm(): boolean {
    return this.#isWarm;
  }

  /** Why the newest bundle that was offered was refused; undefined when none was. */
  get rejection(): string | undefined {
    return this.#rejection;
  }

  /** The bundle in force, which an evaluation needs. */
  require(): LoadedBundle {
    if (this.#loaded !== undefined) return this.#loaded;
    throw new Fault(Reason.BUNDLE_UNAVAILABLE, "this runtime has no bundle yet; activate one for its environment");
  }

  /** The bundle in force, for a request, which from then on names its agent as policies do: by key. */
  requireFor(request: EvaluateRequest): LoadedBundle {
    const loaded = this.require();
    if (request.agentId !== undefined) request.agentId = agentKeyOf(request.agentId, loaded.agents);
    return loaded;
  }

  /**
   * Compiles a verified bundle, warms it up unless it is the first, runs `keep`, and swaps it in. When any of that
   * throws, the old one stays in force.
   */
  async adopt(
    found: VerifiedBundle,
    { now, isConfirmed, keep }: { now: Date; isConfirmed: boolean; keep: () => Promise<void> },
  ): Promise<void> {
    const backends = backendsOf(found);
    const made = sourceOf(found);
    // A version that was published again, or a bundle under new signatures, may have the content that is in force
    // already.
    const former = this.#base;
    const base = former !== undefined && made === this.#made ? former : await this.#engineOf(found);
    await keep();
    const engine = this.#under(base, found.activation.payload);
    this.#made = made;
    this.#base = base;
    this.#loaded = {
      engine,
      bare: base,
      backends,
      agents: agentKeysOf(found),
      ...factsOf(found.activation.payload, now),
      loadedAt: now,
      confirmedAt: isConfirmed ? now : undefined,
    };
    this.#rejection = undefined;
    if (base !== former) this.#settle(base);
  }

  /**
   * Says that the runtime takes evaluations from now on. The engine in force is made ready in the background;
   * `onProblem` is called when that fails.
   */
  listen(onProblem: (error: unknown) => void): void {
    this.#onProblem = onProblem;
    if (this.#base !== undefined) this.#settle(this.#base);
  }

  // Work that would slow down the first evaluations is done in the background, so that the very first one need not wait
  // for it.
  #settle(engine: Engine): void {
    const onProblem = this.#onProblem;
    if (onProblem === undefined) return;
    this.#makeReady(engine).catch((error) => {
      this.reject(rejectionText(error));
      onProblem(error);
    });
  }

  async #makeReady(engine: Engine): Promise<void> {
    const isWanted = () => this.#base === engine;
    if (!this.#isWarm) {
      await warmUpFirst(engine);
      await prepareRequests();
      this.#isWarm = true;
      await warmUpFurther(engine, isWanted);
    }
    await prepare(engine, { isWanted });
  }

  async #engineOf(found: VerifiedBundle): Promise<Engine> {
    const current = this.#base;
    const isFirst = this.#builder === undefined || current === undefined;
    const engine = isFirst ? compileBundle(found) : await this.#builder.build(found, current.tables);
    // The first evaluations after a swap are answered as fast as the last ones before it. At a start there are none
    // before it, and a caller who asks before the runtime is ready waits for one slow answer instead of the whole
    // preparation.
    if (isFirst) return engine;
    await makeSwappable(engine);
    return engine;
  }

  /** The engine with the rules in shadow that the activation names. Streams that are open go on as they began. */
  #under(base: Engine, activation: ActivationPayload): Engine {
    const loaded = this.#loaded;
    const isSame = base === this.#base && loaded !== undefined && hasSameOverrides(activation, loaded.activation);
    return isSame ? loaded.engine : withOverrides(base, activation);
  }

  /** Takes over a fresh activation of the bundle in force. */
  refresh(activation: VerifiedActivation, now: Date): void {
    if (this.#loaded === undefined || this.#base === undefined) return;
    const engine = this.#under(this.#base, activation.payload);
    this.#loaded = { ...this.#loaded, engine, ...factsOf(activation.payload, now), confirmedAt: now };
    this.#rejection = undefined;
  }

  /** Notes why an offered bundle was refused. */
  reject(reason: string): void {
    this.#rejection = reason;
  }

  /** Updates what depends on the time: without fresh activations the bundle becomes stale. It stays in force. */
  age(now: Date): void {
    const loaded = this.#loaded;
    if (loaded === undefined || loaded.reference.stale || !isStale(loaded.activation, now)) return;
    this.#loaded = { ...loaded, ...factsOf(loaded.activation, now) };
  }
}

function factsOf(activation: ActivationPayload, now: Date) {
  const reference = create(BundleReferenceSchema, {
    version: activation.version,
    digest: activation.digest,
    activationSeq: activation.activation_seq,
    stale: isStale(activation, now),
  });
  const replayFacts = activation.replay_facts === true;
  const sampling = activation.trace_sampling;
  return { activation, reference, capture: captures[activation.capture], replayFacts, sampling };
}
