// From a pack and values to a policy. The result is checked like any policy that a person wrote.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ModeName, PolicyTest, TestExpectation } from "../policy/document.ts";
import { canonicalPolicy, parsePolicy } from "../policy/parse.ts";
import { PolicyInvalid } from "../policy/problem.ts";
import { isSameJson } from "./digest.ts";
import { objectOf, type Pack, type PackPolicy, type PackTest } from "./pack.ts";
import { completeParameters } from "./parameters.ts";
import { substitute } from "./substitute.ts";

/** How a pack is made a policy. */
export interface PackUse {
  /** Values by parameter; what is absent has its default. */
  readonly parameters?: JsonObject;
  /** The most that its rules may do. Default: enforce. */
  readonly mode?: ModeName;
  /** Name of the policy. Default: the id of the pack. */
  readonly name?: string;
  /** Whether the policy gets the tests that hold with these values. Default: true. */
  readonly withTests?: boolean;
}

/** The policy that a pack makes of values. Throws PackParametersInvalid, and PolicyInvalid when the values make no sound policy. */
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
  // Tests of the type are plain JSON; their interface only names the keys.
  const input = tests.length === 0 ? document : { ...document, tests: tests as unknown as JsonValue };
  const { policy, problems } = parsePolicy(input as JsonObject);
  if (policy === undefined) throw new PolicyInvalid(`${id} ${version}`, problems);
  return { id, version, digest: pack.digest, parameters, document: canonicalPolicy(policy) };
}

/** The tests that hold with these values of all parameters. */
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

/** The body with no rule stricter than the mode. */
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

/** The test as it has to come out where rules are only watched, or do nothing. */
function expectIn(test: PolicyTest, mode: ModeName): PolicyTest {
  if (mode === "enforce") return test;
  const turns = test.turns?.map((turn) =>
    typeof turn === "string" || turn.expect === undefined ? turn : { ...turn, expect: milder(turn.expect, mode) },
  );
  return { ...test, ...(turns === undefined ? {} : { turns }), expect: milder(test.expect, mode) };
}

// What is said of rewritten, released or told text holds only where rules take effect.
function milder({ outcome, rules, not_rules: not }: TestExpectation, mode: ModeName): TestExpectation {
  if (mode === "off") return { outcome: "ALLOW" };
  return {
    outcome: "ALLOW",
    would_be_outcome: outcome,
    ...(rules === undefined ? {} : { rules }),
    ...(not === undefined ? {} : { not_rules: not }),
  };
}
