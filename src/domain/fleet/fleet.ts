// The runtimes that are connected to this process, and how changes reach them. NOTIFY says that something changed; the
// present state is then read and sent, so that a notification that comes late, twice or in the wrong order does no
// harm.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Logger } from "../../kit/observability/log.ts";
import type { Database } from "../../store/connection/database.ts";
import { type LiveToken, listLiveTokens } from "../../store/identity/token.ts";
import { findEnvironment } from "../../store/project/environment.ts";

/** A connected runtime. None of its methods may throw. */
export interface FleetMember {
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: string;
  /** SHA-256 of the token value that it connected with, in hex. */
  readonly tokenDigest: string;
  /** Tells it the present activation. */
  bundleChanged(activationSeq: number): void;
  /** Tells it the values of the live tokens, its own among them. */
  tokensChanged(tokens: readonly LiveToken[]): void;
  /** Tells it what it may still evaluate. */
  quotaChanged(): void;
  /** Tells it that its own token value has ended. */
  revoked(): void;
  /** Ends its stream after the batch in hand, since the process ends. */
  stop(): void;
}

/** Time before a failed look-up is tried again. */
const retryMs = 1_000;

/** Keeps the connected runtimes and tells them of changes. */
export class Fleet {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #members = new Set<FleetMember>();
  /** Organizations whose tokens are being read. True: they changed again meanwhile. */
  readonly #reading = new Map<string, boolean>();
  readonly #empty = new Set<() => void>();
  #isClosed = false;

  constructor({ database, log }: { readonly database: Database; readonly log: Logger }) {
    this.#database = database;
    this.#log = log;
  }

  /** Number of connected runtimes. */
  get size(): number {
    return this.#members.size;
  }

  /**
   * Adds a runtime and tells it the present state at once: it would never hear of a change between its enrolment and
   * now otherwise. Returns the function by which it leaves.
   */
  join(member: FleetMember): () => void {
    this.#members.add(member);
    if (this.#isClosed) member.stop();
    void this.#tellActivation(member);
    this.tokensChanged({ org_id: member.orgId });
    return () => {
      this.#members.delete(member);
      if (this.#members.size > 0) return;
      for (const resolve of this.#empty) resolve();
      this.#empty.clear();
    };
  }

  /** Handles a notification of the channel "bundles". */
  bundleChanged(payload: JsonObject): void {
    const { org_id, project_id, environment, activation_seq } = payload;
    for (const member of this.#members) {
      const concerned =
        member.orgId === org_id && member.projectId === project_id && member.environment === environment;
      if (concerned && typeof activation_seq === "number") member.bundleChanged(activation_seq);
    }
  }

  /** Handles a notification of the channel "tokens". */
  tokensChanged({ org_id }: JsonObject): void {
    if (typeof org_id !== "string" || !this.#of(org_id).next().value) return;
    if (this.#reading.has(org_id)) {
      this.#reading.set(org_id, true);
      return;
    }
    this.#reading.set(org_id, false);
    void this.#tellTokens(org_id);
  }

  /** Handles a notification of the channel "quota". */
  quotaChanged({ org_id }: JsonObject): void {
    for (const member of this.#members) if (member.orgId === org_id) member.quotaChanged();
  }

  /** Assumes that everything changed. */
  resync(): void {
    for (const member of this.#members) {
      void this.#tellActivation(member);
      member.quotaChanged();
    }
    for (const orgId of new Set([...this.#members].map((member) => member.orgId)))
      this.tokensChanged({ org_id: orgId });
  }

  /** Ends all streams, each after the batch in hand. Resolves when the last one has left. */
  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#members.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#empty.add(resolve);
    for (const member of [...this.#members]) member.stop();
    return promise;
  }

  *#of(orgId: string): Generator<FleetMember> {
    for (const member of this.#members) if (member.orgId === orgId) yield member;
  }

  async #tellTokens(orgId: string): Promise<void> {
    try {
      const tokens = await this.#database.read(orgId, listLiveTokens);
      const live = new Set(tokens.map(({ digest }) => digest.toString("hex")));
      for (const member of [...this.#of(orgId)]) {
        if (live.has(member.tokenDigest)) member.tokensChanged(tokens);
        else member.revoked();
      }
    } catch (err) {
      this.#log.warn({ err, orgId }, "the tokens could not be read; runtimes get them later");
      this.#reading.set(orgId, true);
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    }
    const again = this.#reading.get(orgId) === true;
    this.#reading.delete(orgId);
    if (again) this.tokensChanged({ org_id: orgId });
  }

  async #tellActivation(member: FleetMember): Promise<void> {
    while (this.#members.has(member)) {
      try {
        const found = await this.#database.read(member.orgId, (tx) =>
          findEnvironment(tx, member.projectId, member.environment),
        );
        if (found !== null && found.activationSeq > 0) member.bundleChanged(found.activationSeq);
        return;
      } catch (err) {
        this.#log.warn({ err, orgId: member.orgId }, "the activation could not be read; the runtime gets it later");
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      }
    }
  }
}
