// Publishes environments again when somebody enables or disables a language and asks for it.

import { Fault } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";

/** An environment by its path. */
export interface EnvironmentName {
  readonly projectId: string;
  readonly environment: string;
}

/** What became of the environments. */
export interface Republished {
  readonly bundles: readonly (EnvironmentName & { readonly version: number })[];
  readonly pending: readonly (EnvironmentName & { readonly reason: string })[];
}

/** How many environments one call publishes; each takes seconds, and the call has a time limit. */
export const maxRepublished = 10;

/** Makes and activates a new version of an environment. Returns its number. */
export type Republish = (caller: Caller, path: EnvironmentName, signal: AbortSignal | undefined) => Promise<number>;

/** Makes and activates new versions. */
export class Republisher {
  readonly #republish: Republish;

  constructor(republish: Republish) {
    this.#republish = republish;
  }

  /** Publishes the environments where the caller may activate and gates pass, one after the other. */
  async run(
    caller: Caller,
    environments: readonly EnvironmentName[],
    { republish, signal }: { readonly republish: boolean; readonly signal: AbortSignal | undefined },
  ): Promise<Republished> {
    const bundles: (EnvironmentName & { version: number })[] = [];
    const pending: (EnvironmentName & { reason: string })[] = [];
    for (const [index, { projectId, environment }] of environments.entries()) {
      const path = { projectId, environment };
      if (!republish) pending.push({ ...path, reason: "not republished" });
      else if (index >= maxRepublished)
        pending.push({
          ...path,
          reason: `one call republishes ${maxRepublished} environments; republish this one itself`,
        });
      else {
        const made = await this.#try(caller, path, signal);
        if (typeof made === "number") bundles.push({ ...path, version: made });
        else pending.push({ ...path, reason: made });
      }
    }
    return { bundles, pending };
  }

  async #try(caller: Caller, path: EnvironmentName, signal: AbortSignal | undefined): Promise<number | string> {
    const audit = { ...caller.audit, action: "bundle.republish" };
    try {
      return await this.#republish({ ...caller, audit }, path, signal);
    } catch (error) {
      if (error instanceof Fault) return error.message;
      throw error;
    }
  }
}
