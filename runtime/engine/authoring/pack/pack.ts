// Guard packs: policies with parameters, versions and tests of their own, which are applied as they are or extended.
// `schema.ts` is the machine-readable form; `docs/guard-packs.md` explains packs to authors.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { PolicyTest } from "../../policy/document.ts";

/** The metadata of a pack. */
export interface PackMetadata {
  /** The permanent name of the pack, such as "pii-eu". */
  readonly id: string;
  /** Semantic version: the major number changes when applications may notice. */
  readonly version: string;
  readonly display_name: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly author: string;
  /** Controls of frameworks that the pack serves, such as "OWASP-LLM01". */
  readonly controls: readonly string[];
}

/** One test of a pack: a test of a policy, with the parameters for which it applies. */
export interface PackTest {
  readonly test: PolicyTest;
  /** The values for which it applies; other parameters have their defaults. Empty: all defaults. */
  readonly parameters: JsonObject;
  /** Parameters that it depends on: when they have other values than the test's own, the test is left out. */
  readonly dependsOn: readonly string[];
}

/**
 * The benchmark of a pack with its default parameters: attacks that it must act on, and benign text that it must let
 * pass.
 */
export interface PackBenchmark {
  readonly attacks: number;
  readonly attacksCaught: number;
  readonly benign: number;
  readonly falsePositives: number;
  readonly recall: number;
  readonly falsePositiveRate: number;
  /** Share of the blocked attacks that it still blocks when they are obfuscated. */
  readonly robustness: number;
  /** Day of the measurement, such as "2026-11-20". */
  readonly measuredOn: string;
}

/** One version of a guard pack. */
export interface Pack {
  readonly metadata: PackMetadata;
  /** JSON Schema (2020-12) of an object with all parameters; each has a default. */
  readonly parameters: JsonObject;
  /** The body of a policy, with `${parameters.name}` in place of values. */
  readonly policy: JsonObject;
  readonly tests: readonly PackTest[];
  /** "sha256:…" over all members above. */
  readonly digest: string;
  /** Its benchmark, measured at release; absent when it was not measured. */
  readonly benchmark?: PackBenchmark;
}

/** A policy that was made from a pack. */
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

/** A problem with the value of a parameter. */
export interface PackParameterProblem {
  /** Path, such as "parameters.entities[0]". */
  readonly path: string;
  readonly message: string;
}

/** Thrown when values for a pack do not match its schema. */
export class PackParametersInvalid extends Error {
  override readonly name = "PackParametersInvalid";
  readonly problems: readonly PackParameterProblem[];

  constructor(pack: PackMetadata, problems: readonly PackParameterProblem[]) {
    const list = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    super(`the parameters do not fit pack ${pack.id} ${pack.version}: ${list}`);
    this.problems = problems;
  }
}

/** The value if it is an object, else an empty object. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
