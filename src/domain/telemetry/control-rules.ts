// Which rules of the policies in a log work towards which control, and by how many tests: of each policy its newest
// version counts. What is held is the names of the rules of each policy, whatever the length of the log.

import type { JsonObject } from "@bufbuild/protobuf";
import { isJsonObject, type KnownEntry, memberText, openedValue } from "../../kit/evidence/known-entry.ts";
import { usedDetectors } from "../policy/detector.ts";
import type { Control } from "./control-map.ts";

/** Rules that are named; the others are counted. */
const maxNamed = 100;

/** What of the policies works towards a control. */
export interface ControlRules {
  /** As "policy/rule". */
  readonly named: readonly string[];
  readonly rules: number;
  /** Tests of the policies that have one of the rules. */
  readonly tests: number;
}

interface PolicyRules {
  readonly name: string;
  readonly labels: readonly string[];
  readonly rules: readonly { readonly id: string; readonly detectors: readonly string[] }[];
  readonly tests: number;
}

/** Follows the policies of a log. */
export class PolicyLedger {
  readonly #policies = new Map<string, PolicyRules>();

  /** Takes the next entry. */
  entry(entry: KnownEntry): void {
    const resource = memberText(entry, "resource");
    if (!resource.startsWith("policy/")) return;
    const after = openedValue(entry, "after");
    if (memberText(entry, "action") === "policy.delete") this.#policies.delete(resource);
    else if (isJsonObject(after) && isJsonObject(after.document)) this.#policies.set(resource, rulesOf(after.document));
  }

  /** What works towards a control: every rule of a policy that names it, and rules of its detectors. */
  of({ label, detectors = [] }: Control): ControlRules {
    const serving = [...this.#policies.values()].flatMap(({ name, labels, rules, tests }) => {
      const isNamed = label !== undefined && labels.includes(label);
      const own = rules.filter((rule) => isNamed || rule.detectors.some((id) => detectors.includes(id)));
      return own.length === 0 ? [] : [{ ids: own.map(({ id }) => `${name}/${id}`), tests }];
    });
    const ids = serving.flatMap((each) => each.ids).sort();
    const tests = serving.reduce((sum, each) => sum + each.tests, 0);
    return { named: ids.slice(0, maxNamed), rules: ids.length, tests };
  }
}

function rulesOf(document: JsonObject): PolicyRules {
  const { metadata, rules, tests } = document;
  const { name, controls } = isJsonObject(metadata) ? metadata : {};
  return {
    name: String(name),
    labels: Array.isArray(controls) ? controls.map(String) : [],
    rules: (Array.isArray(rules) ? rules : []).filter(isJsonObject).map((rule) => ({
      id: String(rule.id),
      detectors: usedDetectors({ ...document, rules: [rule] }),
    })),
    tests: Array.isArray(tests) ? tests.length : 0,
  };
}
