// The gate "languages": whether the content is known by measurement to work in the languages that an environment needs.
// What was measured is signed with the content, so the answer never changes.

import type { FieldViolation } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import { findGateContent } from "../../../store/bundle/gate-result.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Analysis } from "../../analysis/analysis.ts";
import { coverageParts, measuredOverlays, uncovered } from "../../language/coverage.ts";
import { storedParts } from "../content.ts";
import type { GateMeasure, GateOfKind } from "./measure.ts";
import { beginOnce, type GateAsk } from "./result.ts";
import type { GateFinding } from "./verdict.ts";

/** Gaps that a reason names; the details have all of them. */
const maxShown = 5;

/** Finds out which languages content covers. */
export class LanguagesGate implements GateMeasure<"languages"> {
  readonly #database: Database;
  readonly #analysis: Analysis;

  constructor(database: Database, analysis: Analysis) {
    this.#database = database;
    this.#analysis = analysis;
  }

  async problems(): Promise<FieldViolation[]> {
    return [];
  }

  async basis(): Promise<string> {
    return "";
  }

  /** It takes no run: the answer is there at once. */
  async begin(caller: Caller, ask: GateAsk<GateOfKind<"languages">>): Promise<void> {
    const parts = await this.#database.read(caller.orgId, async (tx) => {
      const content = await findGateContent(tx, ask.contentDigest);
      return content === null ? undefined : storedParts(tx, coverageParts(content.parts));
    });
    if (parts === undefined) return;
    const policies = parts.filter(({ path }) => path.startsWith("policies/"));
    const categories = await this.#analysis.run("enforcedCategories", { parts: policies }, { orgId: caller.orgId });
    const gaps = uncovered(ask.gate.languages.requiredLanguages, categories, measuredOverlays(parts));
    await this.#database.transaction(caller, (tx) =>
      beginOnce(tx, ask, { basis: this.basis, begin: async () => judgeLanguages(gaps) }),
    );
  }
}

function judgeLanguages(gaps: readonly { readonly language: string; readonly category: string }[]): GateFinding {
  const details = { missing: gaps.map(({ language, category }) => ({ language, category })) };
  if (gaps.length === 0) {
    const reason = "every category that enforced rules use is covered in every required language";
    return { state: "passed", reason, details };
  }
  const shown = gaps.slice(0, maxShown).map(({ language, category }) => `${category} in ${language}`);
  const more = gaps.length > maxShown ? ` and ${gaps.length - maxShown} more` : "";
  return { state: "failed", reason: `not covered: ${shown.join(", ")}${more}`, details };
}
