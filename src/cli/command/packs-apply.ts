import type { JsonObject } from "@bufbuild/protobuf";
import { type ApplyPackResponse, PackConflict } from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import { Mode } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { type Output, shown } from "../output.ts";
import { packReference } from "../pack-library.ts";
import { readParameters } from "../parameter-file.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

const modes = { enforce: Mode.ENFORCE, shadow: Mode.SHADOW, off: Mode.OFF } as const;
const conflicts = { fail: PackConflict.FAIL, merge: PackConflict.MERGE, replace: PackConflict.REPLACE } as const;

/** `policy-guard packs apply`: creates a policy on the server from a pack. */
export const packsApply = defineCommand({
  name: "packs apply",
  summary: "Create a policy on the server from a guard pack, or update it.",
  positionals: { label: "<pack>[@version] [name=value]...", min: 1, max: 100 },
  options: {
    ...serverOptions,
    parameters: { type: "string", value: "FILE", help: "Values of parameters, as YAML or JSON." },
    mode: { type: "string", value: "MODE", choices: Object.keys(modes), help: "The most that its rules may do." },
    project: { type: "string", value: "ID|NAME", help: "Target: the project; a ci token needs its own." },
    agent: { type: "string", value: "KEY", help: "Target: the agent." },
    env: { type: "string", value: "NAME", help: "Target: the environment." },
    conflict: {
      type: "string",
      value: "RULE",
      choices: Object.keys(conflicts),
      help: "What to do with changes made by hand.",
    },
    "dry-run": { type: "boolean", help: "Only show what would happen." },
    message: { type: "string", short: "m", value: "TEXT", help: "What this version is about." },
  },
  notes: `Values of parameters may be given as name=value. What is not given stays as it was applied last; at first, packs only
watch (shadow) unless the target is an environment that is not protected. Applying the same again changes nothing.`,
  async run({ values, positionals: [given = "", ...pairs], output, world }) {
    const parameters = readParameters(values.parameters, pairs);
    const { id: packId, version } = packReference(given);
    const server = await openOrganization(values, world);
    const targetAppId = values.project === undefined ? undefined : await projectIdOf(server, values.project);
    const applied = await server.packs.applyPack({
      ...{ orgId: server.orgId, packId, version, parameters, message: values.message, dryRun: values["dry-run"] },
      ...{ targetAppId, targetAgentId: values.agent, targetEnv: values.env },
      mode: values.mode === undefined ? undefined : modes[values.mode as keyof typeof modes],
      conflict: values.conflict === undefined ? undefined : conflicts[values.conflict as keyof typeof conflicts],
    });
    printApplied(applied, output);
    output.json(appliedJson(applied));
    return applied.tests.every(({ passed }) => passed) ? exitCodes.fine : exitCodes.refused;
  },
});

function printApplied(applied: ApplyPackResponse, output: Output): void {
  const { appliedTo: scope, policyName, policyVersion, tests } = applied;
  const version = policyVersion === undefined ? "" : `, version ${policyVersion}`;
  const failed = tests.filter(({ passed }) => !passed);
  output.line(`${applied.dryRun ? "would be " : ""}${applied.change} ${shown(policyName)}${version}`);
  output.line(`pack ${applied.packName} ${applied.version}, mode ${modeName(applied.mode)}`);
  output.line(`project ${scope?.appId}, agent ${shown(scope?.agentId ?? "*")}, env ${shown(scope?.env ?? "*")}`);
  for (const { text, effect } of applied.diff) output.line(`${marks[effect] ?? "?"} ${shown(text)}`);
  for (const part of applied.skipped) output.line(`kept as it was changed by hand: ${shown(part)}`);
  output.line(`${tests.length - failed.length} of ${tests.length} tests pass`);
  for (const { name, failures } of failed) output.line(`  ${shown(name)}: ${shown(failures.join("; "))}`);
}

const marks: Readonly<Record<string, string>> = { stricter: "+", weaker: "-", neutral: " ", unknown: "?" };

function modeName(mode: Mode): string {
  return Object.entries(modes).find(([, value]) => value === mode)?.[0] ?? "unknown";
}

function appliedJson(applied: ApplyPackResponse): JsonObject {
  const { appliedTo: scope } = applied;
  return {
    applied_to: { app_id: scope?.appId ?? "*", agent_id: scope?.agentId ?? "*", env: scope?.env ?? "*" },
    ...{
      pack_id: applied.packId,
      pack_name: applied.packName,
      version: applied.version,
      parameters: applied.parameters ?? {},
    },
    ...{ mode: modeName(applied.mode), dry_run: applied.dryRun, change: applied.change },
    ...{
      policy_id: applied.policyId ?? null,
      policy_name: applied.policyName,
      policy_version: applied.policyVersion ?? null,
    },
    ...{ created_rules: applied.createdRules, removed_rules: applied.removedRules, skipped: applied.skipped },
    diff: applied.diff.map(({ kind, path, rule, text, effect }) => ({ kind, path, rule: rule ?? null, text, effect })),
    strictness: applied.strictness,
    tests: applied.tests.map(({ name, passed, failures }) => ({ name, passed, failures })),
  };
}
