// What differs in meaning between two bundles of a project. The content that was signed is compared, so policies that
// were changed or deleted since do not matter.

import { patternPartPath } from "../../../runtime/engine/policy-plan/pattern-part.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { BundleRow } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { Analysis } from "../analysis/analysis.ts";
import type { BundleMeaning } from "../analysis/compare-bundles.ts";
import { requireProject } from "../lookup.ts";
import { storedParts } from "./content.ts";
import { type ChangedPart, changedParts } from "./diff.ts";
import { type EnvironmentPath, requireNamedOrActive } from "./lookup.ts";

/** The bundle that another one is compared with. */
export interface BaseInput {
  /** Default: the other bundle's environment. */
  readonly environment?: string | undefined;
  /** Default: the active version. */
  readonly version?: number | undefined;
}

/** Two bundles, and how they differ. */
export interface BundleComparison extends BundleMeaning {
  readonly base: BundleRow;
  readonly bundle: BundleRow;
  /** What else differs, in the order of paths. */
  readonly parts: readonly ChangedPart[];
}

/** Compares bundles. */
export class BundleComparisons {
  readonly #database: Database;
  readonly #analysis: Analysis;

  constructor(database: Database, analysis: Analysis) {
    this.#database = database;
    this.#analysis = analysis;
  }

  /** What becomes of everything when the version takes the place of the base. */
  async compare(
    caller: Caller,
    path: EnvironmentPath,
    version: number,
    { base: wanted, signal }: { readonly base: BaseInput; readonly signal?: AbortSignal },
  ): Promise<BundleComparison> {
    const read = await this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, path.projectId);
      const bundle = await requireNamedOrActive(tx, path, version);
      const environment = wanted.environment ?? path.environment;
      const base = await requireNamedOrActive(tx, { ...path, environment }, wanted.version);
      const changed = changedParts(bundle.parts, base.parts);
      const compared = new Set(changed.map((part) => part.path).filter(isCompared));
      return {
        base,
        bundle,
        parts: changed.filter((part) => !compared.has(part.path)),
        before: await partsOf(tx, base, compared),
        after: await partsOf(tx, bundle, compared),
        now: tx.now,
      };
    });
    const { before, after, now, ...bundles } = read;
    // Facts about patterns follow from the policies, and only save time.
    const otherPaths = read.parts.map((part) => part.path).filter((each) => each !== patternPartPath);
    const { orgId } = caller;
    const meaning = await this.#analysis.run("compareBundles", { before, after, otherPaths, now }, { orgId, signal });
    return { ...bundles, ...meaning };
  }
}

/** Whether the content of the part is compared, rather than its bytes. */
function isCompared(path: string): boolean {
  return path.startsWith("policies/") || path.startsWith("lists/");
}

function partsOf(tx: Transaction, { parts }: BundleRow, paths: ReadonlySet<string>) {
  return storedParts(
    tx,
    parts.filter(({ path }) => paths.has(path)),
  );
}
