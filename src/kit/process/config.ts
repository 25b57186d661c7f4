// Settings come from environment variables that a process declares once. Reading them reports every problem at once, so
// that an operator corrects a deployment in one round; the operations manual is printed from the same declaration.

import { expectation, parseValue, readSecret, type Variable, type VariableValue } from "./config-value.ts";

/** The variables of a process, by the name that its code uses. */
export type Schema = Readonly<Record<string, Variable>>;

/** The values of a schema. A variable without default that is not required may be undefined. */
export type Config<S extends Schema> = {
  readonly [K in keyof S]: S[K] extends { readonly default: string } | { readonly required: true }
    ? VariableValue<S[K]>
    : VariableValue<S[K]> | undefined;
};

/** One thing that is wrong with the environment. */
export interface ConfigProblem {
  readonly name: string;
  /** The text that was found; never that of a secret. */
  readonly given: string;
  readonly expected: string;
}

/** The environment is not usable. `problems` and the message list everything that is wrong with it. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ name, given, expected }) => `  ${name}: ${given}; expected ${expected}`);
    super(
      `${problems.length} wrong setting${problems.length === 1 ? "" : "s"} in the environment:\n${lines.join("\n")}`,
    );
    this.problems = problems;
  }
}

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const ownPrefix = "POLICY_GUARD_";

/**
 * Every variable with the product's prefix, whichever process reads it: several processes may be given one environment,
 * and only a name that none of them reads is a mistake.
 */
export const productVariables: readonly string[] = [
  "POLICY_GUARD_ALLOW_NETWORKS",
  "POLICY_GUARD_ANALYSIS_THREADS",
  "POLICY_GUARD_DATA",
  "POLICY_GUARD_DEFAULT_PLAN",
  "POLICY_GUARD_DNS_SERVERS",
  "POLICY_GUARD_MASTER_KEY",
  "POLICY_GUARD_MASTER_KEY_FILE",
  "POLICY_GUARD_ORG",
  "POLICY_GUARD_REGISTRATION",
  "POLICY_GUARD_RUNTIME_URL",
  "POLICY_GUARD_TOKEN",
  "POLICY_GUARD_TOKEN_FILE",
  "POLICY_GUARD_TOKEN_HASHES",
  "POLICY_GUARD_TRACE_PARTITION",
  "POLICY_GUARD_URL",
  "POLICY_GUARD_WEBHOOK_SECRET",
  "POLICY_GUARD_WEBHOOK_SECRET_FILE",
];

/** The schema itself; keeps its literal types, from which the types of the values follow. */
export function defineSchema<const S extends Schema>(schema: S): S {
  return schema;
}

/**
 * The values of all variables. Throws one ConfigError that lists every problem, including variables with the product's
 * prefix that nobody reads; `alsoKnown` names those that other processes on the same environment read.
 */
export function readConfig<S extends Schema>(
  schema: S,
  env: Environment,
  alsoKnown: readonly string[] = [],
): Config<S> {
  const problems: ConfigProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(schema)) {
    const problem = fileProblem(variable, env);
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    const text = textOf(variable, env);
    if (text === undefined) {
      if (variable.required) problems.push({ name: variable.name, given: "unset", expected: expectation(variable) });
      continue;
    }
    values[key] = parseValue(variable, text);
    if (values[key] === undefined) {
      const isInjected = isOfKubernetes(env) && /^tcp:\/\//.test(text);
      const expected = `${expectation(variable)}${isInjected ? ` (${injected})` : ""}`;
      problems.push({ name: variable.name, given: shown(variable, text), expected });
    }
  }
  problems.push(...unknownVariables(schema, env, alsoKnown));
  if (problems.length > 0) throw new ConfigError(problems);
  return values as Config<S>; // each value was parsed by the kind from which its type follows
}

/** The schema as a Markdown table, for the operations manual. */
export function describeSchema(schema: Schema): string {
  const rows = Object.values(schema).map((variable) => {
    const standard =
      variable.default === undefined ? (variable.required ? "required" : "none") : `\`${variable.default}\``;
    return `| \`${variable.name}\` | ${expectation(variable)} | ${standard} | ${variable.description} |`;
  });
  return ["| variable | takes | default | meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** The variable that names a file with the value of a secret one; undefined for other variables. */
export function fileVariable({ name, secret, kind }: Variable): string | undefined {
  return secret === true && kind !== "secret-file" ? `${name}_FILE` : undefined;
}

/**
 * The environment with the values of secrets that it names files for, for a process that hands it on. Files that cannot
 * be read stay named, so that `readConfig` says so.
 */
export function withFilesRead<E extends Environment>(env: E, schemas: readonly Schema[]): E {
  const read: Record<string, string | undefined> = { ...env };
  for (const variable of schemas.flatMap((schema) => Object.values(schema))) {
    const file = givenFile(variable, env);
    if (file === undefined || fileProblem(variable, env) !== undefined) continue;
    read[variable.name] = readSecret(file);
    delete read[`${variable.name}_FILE`];
  }
  return read as E; // the same variables, some of them under the name of their value
}

// An empty text counts as unset: that is how compose files and CI systems hand on a variable that has no value.
function textOf(variable: Variable, env: Environment): string | undefined {
  const file = givenFile(variable, env);
  return (file === undefined ? env[variable.name] : readSecret(file)) || variable.default;
}

function givenFile(variable: Variable, env: Environment): string | undefined {
  const name = fileVariable(variable);
  return (name !== undefined && env[name]) || undefined;
}

function fileProblem(variable: Variable, env: Environment): ConfigProblem | undefined {
  const path = givenFile(variable, env);
  if (path === undefined) return undefined;
  const name = `${variable.name}_FILE`;
  if (env[variable.name]) return { name, given: `set beside ${variable.name}`, expected: "one of the two" };
  if (readSecret(path) !== undefined) return undefined;
  return { name, given: JSON.stringify(path), expected: "the path of a readable file that is not empty" };
}

const injected = "Kubernetes sets this for a Service of that name: set enableServiceLinks: false in the pod";

function isOfKubernetes(env: Environment): boolean {
  return Boolean(env.KUBERNETES_SERVICE_HOST);
}

// For a Service `policy-guard-x` Kubernetes sets POLICY_GUARD_X_SERVICE_HOST, …_SERVICE_PORT_HTTP, …_PORT and
// …_PORT_8080_TCP_ADDR in every pod of the namespace.
const injectedName = /_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

function shown(variable: Variable, text: string): string {
  return variable.secret ? "a value that is not shown" : JSON.stringify(text);
}

function unknownVariables(schema: Schema, env: Environment, alsoKnown: readonly string[]): ConfigProblem[] {
  const own = Object.values(schema).flatMap((variable) => [variable.name, fileVariable(variable) ?? []].flat());
  const known = [...own, ...alsoKnown];
  return Object.keys(env)
    .filter((name) => name.startsWith(ownPrefix) && !known.includes(name))
    .filter((name) => !(isOfKubernetes(env) && injectedName.test(name)))
    .map((name) => {
      const near = nearest(name, known);
      const expected = near === undefined ? "no such variable" : `no such variable; did you mean ${near}?`;
      return { name, given: "nothing reads it", expected };
    });
}

function nearest(name: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, steps: editDistance(name, candidate) }))
    .sort((a, b) => a.steps - b.steps);
  const best = ranked[0];
  return best !== undefined && best.steps <= 3 ? best.candidate : undefined;
}

// Levenshtein's distance by rows.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
