import type { JsonObject } from "@bufbuild/protobuf";
import type { Policy } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { canonicalPolicy } from "../../../runtime/engine/policy/parse.ts";
import { canonicalText } from "../../kit/crypto/canonical.ts";
import { defineCommand, integerOf, type Values } from "../command.ts";
import type { JudgingFile } from "../evaluate.ts";
import { exitCodes, refusal, usageFailure } from "../failure.ts";
import { withSuites } from "../merged-source.ts";
import { counted, shown } from "../output.ts";
import { findPolicyFiles, readPolicyFiles, requirePolicies } from "../policy-file.ts";
import { policyJson } from "../resource-json.ts";
import { allPolicies, type Organization, openOrganization, projectIdOf, serverOptions } from "../server.ts";
import { readSuites } from "../suite-file.ts";
import { testFile } from "../test-run.ts";

const options = {
  ...serverOptions,
  project: { type: "string", value: "ID|NAME", help: "Scope: the project; a ci token needs its own." },
  agent: { type: "string", value: "KEY", help: "Scope: the agent." },
  env: { type: "string", value: "NAME", help: "Scope: the environment." },
  "expected-version": { type: "string", value: "N", help: "The version that this one follows; 0 for none." },
  message: { type: "string", short: "m", value: "TEXT", help: "What this version is about." },
} as const;

/** The outcome for a file. */
interface Pushed {
  readonly file: string;
  readonly change: "created" | "updated" | "unchanged";
  readonly policy: Policy;
  /** Where the policy applied before; only when a scope was given and differs from the former one. */
  readonly before?: Scope;
}

/** `policy-guard policies push`: creates policies, or adds versions to them. */
export const policiesPush = defineCommand({
  name: "policies push",
  summary: "Create policies on the server, or add versions to them.",
  positionals: { label: "<file|folder>...", min: 1, max: 1000 },
  options,
  notes: `Policies are found by metadata.name. All files, those of tests included, are checked and run before the first is sent. A policy that is there
already as it is written gets no new version. Tests of files of their own are sent as tests of the policy, so that the
server runs them, too. An update follows the version that was read just before, so that nobody
else's change is lost.`,
  async run({ values, positionals, output, world }) {
    const found = findPolicyFiles(positionals);
    const files = requirePolicies(readPolicyFiles(found.files));
    const suites = requirePolicies(readSuites(found.suites, files));
    const expected = integerOf(values["expected-version"], "expected-version", 0);
    if (expected !== undefined && files.length > 1) throw usageFailure("--expected-version works with one file only");
    refuseTwins(files);
    for (const file of [...files, ...suites]) requireGreen(file, world.now());
    const merged = files.map((file) => withSuites(file, suites, world.now()));
    const server = await openOrganization(values, world);
    const known = new Map((await allPolicies(server)).map(({ name, id }) => [name, id]));
    const scope = await scopeOf(server, values);
    const pushed: Pushed[] = [];
    for (const file of merged) {
      const id = known.get(file.policy.metadata.name);
      pushed.push(await push(server, file, { id, scope, expected, message: values.message }));
    }
    for (const { change, policy, before } of pushed) {
      output.line(`${change} ${shown(policy.name)}, version ${policy.version}`);
      const now = policy.scope ?? everywhere;
      if (before !== undefined && isNarrower(now, before))
        output.note(
          `warning: ${shown(policy.name)} applied to ${scopeText(before)}, and now to ${scopeText(now)} only`,
        );
    }
    output.json({ policies: pushed.map(({ file, change, policy }) => ({ file, change, ...policyJson(policy) })) });
    return exitCodes.fine;
  },
});

/** Where a policy applies: ids, or "*" for all. */
type Scope = Pick<NonNullable<Policy["scope"]>, "appId" | "agentId" | "env">;

const everywhere: Scope = { appId: "*", agentId: "*", env: "*" };

interface Plan {
  /** Undefined for a policy that does not exist yet. */
  readonly id: string | undefined;
  /** Undefined when the options do not say. */
  readonly scope: Scope | undefined;
  readonly expected: number | undefined;
  readonly message: string | undefined;
}

async function push(server: Organization, file: JudgingFile, plan: Plan): Promise<Pushed> {
  const { orgId } = server;
  const { id, scope, expected, message } = plan;
  const document = { kind: { case: "stringValue" as const, value: file.source } };
  const name = file.policy.metadata.name;
  if (id === undefined) {
    if (expected !== undefined && expected > 0) throw conflict(name, expected, "is not there yet");
    const { policy } = await server.policies.createPolicy({ orgId, document, scope, message });
    return { file: file.path, change: "created", policy: requirePolicy(policy) };
  }
  const current = requirePolicy((await server.policies.getPolicy({ orgId, policyId: id })).policy);
  if (expected !== undefined && expected !== current.version) {
    throw conflict(name, expected, `is at version ${current.version}`);
  }
  if (isSame(current, file, scope)) return { file: file.path, change: "unchanged", policy: current };
  const { policy } = await server.policies.updatePolicy({
    orgId,
    policyId: id,
    document,
    scope,
    message,
    expectedVersion: current.version,
  });
  const before = current.scope ?? everywhere;
  return { file: file.path, change: "updated", policy: requirePolicy(policy), before };
}

/** Whether the server has the same document, comments included. */
function isSame(current: Policy, { policy, source }: JudgingFile, scope: Plan["scope"]): boolean {
  const { appId, agentId, env } = current.scope ?? everywhere;
  if (scope !== undefined && (scope.appId !== appId || scope.agentId !== agentId || scope.env !== env)) return false;
  const document: JsonObject = current.document ?? {};
  return current.source === source && canonicalText(document) === canonicalText(canonicalPolicy(policy));
}

/** Whether the policy no longer applies to something that it applied to before. */
function isNarrower(now: Scope, before: Scope): boolean {
  const keys = ["appId", "agentId", "env"] as const;
  return keys.some((key) => now[key] !== "*" && now[key] !== before[key]);
}

function scopeText({ appId, agentId, env }: Scope): string {
  const one = (kind: string, value: string) => (value === "*" ? `every ${kind}` : `the ${kind} ${shown(value)}`);
  return `${one("project", appId)}, ${one("agent", agentId)}, ${one("environment", env)}`;
}

async function scopeOf(server: Organization, values: Values<typeof options>): Promise<Plan["scope"]> {
  const { project, agent, env } = values;
  if (project === undefined && agent === undefined && env === undefined) return undefined;
  const appId = project === undefined ? "*" : await projectIdOf(server, project);
  return { appId, agentId: agent ?? "*", env: env ?? "*" };
}

function refuseTwins(files: readonly JudgingFile[]): void {
  const names = files.map(({ policy }) => policy.metadata.name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw refusal("duplicate_policy", `two of the files are named "${twin}"`);
}

function requireGreen(file: JudgingFile, now: Date): void {
  const failed = testFile(file, now).results.filter(({ passed }) => !passed);
  if (failed.length === 0) return;
  const message = `${file.path}: ${counted(failed.length, "test")} failed: ${failed.map(({ name }) => name).join("; ")}`;
  throw refusal("policy_tests_failed", message, { hint: `\`policy-guard test ${file.path}\` shows why.` });
}

function conflict(name: string, expected: number, what: string) {
  return refusal("version_conflict", `policy "${name}" ${what}, and version ${expected} was expected`);
}

function requirePolicy(policy: Policy | undefined): Policy {
  if (policy === undefined) throw new Error("the server answered without a policy");
  return policy;
}
