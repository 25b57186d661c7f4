// Checks a release before it becomes a new version of a bundle: every policy compiles, alone and together with the
// others, and its own tests pass. Finds the lists, backends, models and agents that go into the bundle with them.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { catalog } from "../../../runtime/engine/detectors/catalog.ts";
import { assertCompilable, type EngineSource, makeTables } from "../../../runtime/engine/engine.ts";
import { BundleTooLarge } from "../../../runtime/engine/pattern/bundle-too-large.ts";
import { recordPatterns } from "../../../runtime/engine/pattern/compile-pattern.ts";
import { arrayBytes } from "../../../runtime/engine/pattern/memory-budget.ts";
import type { StoredFacts } from "../../../runtime/engine/pattern/pattern-facts.ts";
import { noPacks } from "../../../runtime/engine/policy/extend.ts";
import { recordedPacks } from "../../../runtime/engine/policy/pack-record.ts";
import { parsePolicy } from "../../../runtime/engine/policy/parse.ts";
import type { PolicyScope } from "../../../runtime/engine/policy-plan/compiled-policy.ts";
import { patternPart, patternPartPath } from "../../../runtime/engine/policy-plan/pattern-part.ts";
import { emptyTables } from "../../../runtime/engine/scan/table-cache.ts";
import type { AgentPart } from "../../../runtime/engine/segment/agent-part.ts";
import { canonicalBytes } from "../../kit/crypto/canonical.ts";
import { validationFailed } from "../../kit/fault/fault.ts";
import { checkPolicy } from "./check-policy.ts";
import { policyTestsFailed, requireSound } from "./policy-document.ts";
import { type Agent, type ListHead, neededAgents, neededBackends, neededLists } from "./release-needs.ts";
import { type BundlePolicySource, overlaySources, policySources, type StoredPart } from "./stored-part.ts";
import type { Tools } from "./tools.ts";

/** A policy of a release, before its packs are known. */
export interface ReleasePolicy {
  readonly policyId: string;
  readonly name: string;
  readonly version: number;
  readonly scope: PolicyScope;
  /** The document as JSON. */
  readonly documentText: string;
}

/** The project and environment that a release is for. */
export interface ReleaseTarget {
  readonly projectId: string;
  /** The environment's name. */
  readonly environment: string;
}

/** The input of a release. */
export interface ReleaseCheck extends ReleaseTarget {
  /** Policies, or the parts of a bundle that contains them. Both are checked with the packs that ship now. */
  readonly from: { readonly policies: readonly ReleasePolicy[] } | { readonly parts: readonly StoredPart[] };
  readonly lists: readonly ListHead[];
  /** Keys of the detector backends. */
  readonly backends: readonly string[];
  /** Overlays of the enabled languages. */
  readonly overlays: readonly StoredPart[];
  /** Agents of the project that are considered. */
  readonly agents: readonly Agent[];
  readonly now: Date;
}

/** How many tests ran. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
}

/** The content that goes into the bundle. */
export interface CheckedRelease {
  readonly tests: TestCount;
  readonly policies: readonly Pick<ReleasePolicy, "policyId" | "name" | "version">[];
  /** The policies with the packs that they extend, the overlays, and the facts about patterns. */
  readonly parts: readonly StoredPart[];
  /** Ids of the lists that they read. */
  readonly lists: readonly string[];
  /** Keys of the backends that they name. */
  readonly backends: readonly string[];
  /** Names of the detectors whose models they use. */
  readonly models: readonly string[];
  /** The agents that they distinguish from others; undefined when there are none. */
  readonly agents: AgentPart | undefined;
}

/**
 * Checks policies before they are published. Throws a 422 for content that no runtime would load, and for tests that
 * fail.
 */
export function checkRelease(check: ReleaseCheck, tools: Tools): CheckedRelease {
  const { from, lists, backends, agents, now } = check;
  const { packs, enter, models } = tools;
  const read = "parts" in from ? policySources(from.parts) : from.policies.map(parsedPolicy);
  const policies = read.map((policy): BundlePolicySource => ({ ...policy, packs }));
  const tests = testPolicies(policies, now, tools);
  enter("looking for lists and backends");
  const ownLists = neededLists(policies, lists);
  const ownBackends = neededBackends(policies, backends);
  enter("writing the policies");
  const parts = policies.map(policyEntry);
  const isUsed = (name: string) => parts.some(({ data }) => Buffer.from(data).includes(`"${name}"`));
  enter("looking for agents");
  const ownAgents = neededAgents(agents, { policies, written: parts, lists: ownLists });
  enter("compiling the policies together");
  return {
    tests,
    policies: policies.map(({ policyId, name, version }) => ({ policyId, name, version })),
    parts: [...parts, ...check.overlays, ...patternEntries(compilable(policies, check, tools))],
    lists: ownLists.map(({ id }) => id),
    backends: ownBackends,
    models: [...models.keys()].filter(isUsed),
    agents: ownAgents,
  };
}

function parsedPolicy({ documentText, ...head }: ReleasePolicy): BundlePolicySource {
  return { ...head, document: JSON.parse(documentText) as JsonObject }; // what this control plane stored
}

/** A stored bundle that is to be released for another environment. */
export interface BundleRetest extends ReleaseTarget {
  readonly parts: readonly StoredPart[];
  readonly now: Date;
}

/**
 * Runs the tests of a stored bundle again and compiles it for its new environment: time may have passed, other policies
 * may apply there, and the engine may be newer.
 */
export function retestBundle({ parts, now, ...target }: BundleRetest, tools: Tools): TestCount {
  const policies = policySources(parts);
  const tests = testPolicies(policies, now, tools);
  tools.enter("compiling the policies together");
  refusingTooMuch(() => requireTables(policies, target, tools));
  return tests;
}

/** Runs the tests of every policy. A failing one is a 422 that lists the cases. */
function testPolicies(policies: readonly BundlePolicySource[], now: Date, tools: Tools): TestCount {
  const results = policies.flatMap(({ name, document, packs = noPacks }) => {
    const enter = (phase: string) => tools.enter(`policy ${name}: ${phase}`);
    const checked = checkPolicy({ document, now }, { ...tools, packs, enter });
    if (checked.document === undefined) requireSound(checked);
    return checked.tests;
  });
  const failures = results.filter((result) => !result.passed);
  if (failures.length > 0) throw policyTestsFailed(failures);
  return { passed: results.length, failed: 0 };
}

// Refuses policies that no runtime would load together. Returns the facts about their patterns.
function compilable(
  policies: readonly BundlePolicySource[],
  { overlays: parts, ...target }: ReleaseTarget & Pick<ReleaseCheck, "overlays">,
  tools: Tools,
): ReadonlyMap<string, StoredFacts> {
  const overlays = overlaySources(parts);
  const check = () => {
    assertCompilable(policies, overlays);
    requireTables(policies, { ...target, overlays }, tools);
  };
  return refusingTooMuch(() => recordPatterns(check).facts);
}

/** Bytes of tables that are kept for the next release, which needs mostly the same ones. */
const maxKeptBytes = 64 * 1024 * 1024;
let latestTables = emptyTables();

// The size of a table is known only once it is made: it depends on how densely edges lie and on what all patterns
// share.
function requireTables(
  policies: readonly BundlePolicySource[],
  { environment, projectId, overlays }: ReleaseTarget & Pick<EngineSource, "overlays">,
  { models }: Pick<Tools, "models">,
): void {
  const tables = makeTables({ policies, environment, projectId, models, overlays }, latestTables);
  latestTables = arrayBytes(tables) <= maxKeptBytes ? tables : emptyTables();
}

function refusingTooMuch<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof BundleTooLarge) throw validationFailed([{ field: "policies", message: error.message }]);
    throw error;
  }
}

/** A policy as a bundle carries it. The scope names a project by id and never an environment's own bundle. */
function policyEntry({ policyId, name, version, scope, document, packs = noPacks }: BundlePolicySource): StoredPart {
  const { tenantId, appId, agentId, env } = scope;
  const part: JsonObject = {
    ...{ policy_id: policyId, name, version, document },
    scope: { tenant_id: tenantId, app_id: appId, agent_id: agentId, env },
  };
  const path = `policies/${policyId}.json`;
  if (!("extends" in document)) return { path, data: canonicalBytes(part) };
  const { source, records } = recordedPacks(packs);
  parsePolicy(document, catalog, source);
  // Records are JSON; their interface only names the keys.
  return { path, data: canonicalBytes({ ...part, packs: records() as unknown as JsonValue }) };
}

function patternEntries(facts: ReadonlyMap<string, StoredFacts>): StoredPart[] {
  const part = patternPart(facts);
  if (part === undefined) return [];
  // A part is JSON; its interface only names the keys.
  return [{ path: patternPartPath, data: canonicalBytes(part as unknown as JsonObject) }];
}
