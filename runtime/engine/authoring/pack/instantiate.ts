// Turns a pack and parameter values into a policy. The result is checked like any policy that a person wrote.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ModeName, PolicyTest, TestExpectation } from "../../policy/document.ts";
import { canonicalPolicy, parsePolicy } from "../../policy/parse.ts";
import { PolicyInvalid } from "../../policy/problem.ts";
import { isSameJson } from "./digest.ts";
import { objectOf, type Pack, type PackPolicy, type PackTest } from "./pack.ts";
import { completeParameters } from "./parameters.ts";
import { substitute } from "./substitute.ts";

/** How to turn a pack into a policy. */
export interface PackUse {
  /** Values by parameter; a missing value is the default. */
  readonly parameters?: JsonObject;
  /** The strictest mode that its rules may have. Default: enforce. */
  readonly mode?: ModeName;
  /** Name of the policy. Default: the id of the pack. */
  readonly name?: string;
  /** Whether the policy gets the tests that apply to these values. Default: true. */
  readonly withTests?: boolean;
}

/**
 * The policy of a pack with these values. Throws PackParametersInvalid, and PolicyInvalid when the values give no valid
 * policy.
 */
export function instantiatePack(pack: Pack, use: PackUse = {}): PackPolicy {
  const { id, version, description, controls } = pack.metadata;
  const { name = id, mode = "enforce" } = use;
  const parameters = completeParameters(pack, use.parameters ?? {});
  const body = limited(substitute(pack.policy, parameters), mode);
  const tests = use.withTests === false ? [] : testsFor(pack, parameters).map((test) => expectIn(test, mode));
  const document = {
    apiVersion: "policyguard/v1",
    kind: "Policy",
    metadata: { name, description, controls: [...controls] },
    ...body,
  };
  // Tests are plain JSON; their interface only names the keys.
  const input = tests.length === 0 ? document : { ...document, tests: tests as unknown as JsonValue };
  const { policy, problems } = parsePolicy(input as JsonObject);
  if (policy === undefined) throw new PolicyInvalid(`${id} ${version}`, problems);
  return { id, version, digest: pack.digest, parameters, document: canonicalPolicy(policy) };
}

/** The tests that apply to these values of all parameters. */
export function testsFor(pack: Pack, parameters: JsonObject): PolicyTest[] {
  return pack.tests.filter((test) => holds(pack, test, parameters)).map(({ test }) => test);
}

function holds(pack: Pack, { parameters: own, dependsOn }: PackTest, values: JsonObject): boolean {
  const properties = objectOf(pack.parameters.properties);
  const is = (name: string, value: JsonValue | undefined) => isSameJson(values[name], value);
  return (
    Object.entries(own).every(([name, value]) => is(name, value)) &&
    dependsOn.every((name) => Object.hasOwn(own, name) || is(name, objectOf(properties[name]).default))
  );
}

const order: readonly ModeName[] = ["off", "shadow", "enforce"];

/** The body with no rule's mode stricter than this one. */
function limited(body: JsonObject, mode: ModeName): JsonObject {
  const least = (own: JsonValue | undefined): ModeName => {
    const rank = own === undefined ? order.length : order.indexOf(own as ModeName);
    return rank < order.indexOf(mode) ? (own as ModeName) : mode;
  };
  const defaults = objectOf(body.defaults);
  const rules = (body.rules as JsonObject[]).map((rule) =>
    "mode" in rule ? { ...rule, mode: least(rule.mode) } : rule,
  );
  return { ...body, defaults: { ...defaults, mode: least(defaults.mode) }, rules };
}

/** The test with the expectation for rules that are in shadow or off. */
function expectIn(test: PolicyTest, mode: ModeName): PolicyTest {
  if (mode === "enforce") return test;
  const turns = test.turns?.map((turn) =>
    typeof turn === "string" || turn.expect === undefined ? turn : { ...turn, expect: milder(turn.expect, mode) },
  );
  return { ...test, ...(turns === undefined ? {} : { turns }), expect: milder(test.expect, mode) };
}

// Expectations about rewritten or released text and messages apply only to enforced rules.
function milder({ outcome, rules, not_rules: not }: TestExpectation, mode: ModeName): TestExpectation {
  if (mode === "off") return { outcome: "ALLOW" };
  return {
    outcome: "ALLOW",
    would_be_outcome: outcome,
    ...(rules === undefined ? {} : { rules }),
    ...(not === undefined ? {} : { not_rules: not }),
  };
}
