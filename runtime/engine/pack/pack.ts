// Guard packs: policies with parameters, versions and tests of their own, to be applied as they are or to be extended.
// `schema.ts` says the same to machines; `docs/guard-packs.md` says it to authors.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { PolicyTest } from "../policy/document.ts";

/** What is known of a pack besides its rules. */
export interface PackMetadata {
  /** Names the pack for good, such as "pii-eu". */
  readonly id: string;
  /** Semantic version: the major number changes when an application may notice. */
  readonly version: string;
  readonly display_name: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly author: string;
  /** Controls of frameworks that the pack serves, such as "OWASP-LLM01". */
  readonly controls: readonly string[];
}

/** One test of a pack: a test of a policy, and under which parameters it holds. */
export interface PackTest {
  readonly test: PolicyTest;
  /** The values with which it holds; the others have their defaults. Empty: the defaults of all. */
  readonly parameters: JsonObject;
  /** Parameters that it depends on: with other values than the test's own, it says nothing and is left out. */
  readonly dependsOn: readonly string[];
}

/** The figures of a pack, with its default parameters: attacks, on which it has to act, and benign text, which it has to leave alone. */
export interface PackBenchmark {
  readonly attacks: number;
  readonly attacksCaught: number;
  readonly benign: number;
  readonly falsePositives: number;
  readonly recall: number;
  readonly falsePositiveRate: number;
  /** Share of what it blocks that it still blocks in disguise. */
  readonly robustness: number;
  /** Day of the measurement, as in "2026-11-20". */
  readonly measuredOn: string;
}

/** A guard pack in one version. */
export interface Pack {
  readonly metadata: PackMetadata;
  /** JSON Schema (2020-12) of an object with all parameters; each has a default. */
  readonly parameters: JsonObject;
  /** The body of a policy, with `${parameters.name}` where a value is to stand. */
  readonly policy: JsonObject;
  readonly tests: readonly PackTest[];
  /** "sha256:…" over all of the above. */
  readonly digest: string;
  /** Its figures, as they were measured when it was released; absent when nobody has. */
  readonly benchmark?: PackBenchmark;
}

/** A policy that a pack made. */
export interface PackPolicy {
  readonly id: string;
  readonly version: string;
  /** Digest of the pack, not of the policy. */
  readonly digest: string;
  /** The values of all parameters. */
  readonly parameters: JsonObject;
  /** A policy document in canonical form. */
  readonly document: JsonObject;
}

/** Something wrong with the value of a parameter. */
export interface PackParameterProblem {
  /** Such as "parameters.entities[0]". */
  readonly path: string;
  readonly message: string;
}

/** The values that were given to a pack do not fit its schema. */
export class PackParametersInvalid extends Error {
  override readonly name = "PackParametersInvalid";
  readonly problems: readonly PackParameterProblem[];

  constructor(pack: PackMetadata, problems: readonly PackParameterProblem[]) {
    const list = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    super(`the parameters do not fit pack ${pack.id} ${pack.version}: ${list}`);
    this.problems = problems;
  }
}

/** An object, or an empty one in the place of anything else. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
