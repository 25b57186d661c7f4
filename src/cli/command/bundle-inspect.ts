import type { JsonObject } from "@bufbuild/protobuf";
import type { Part } from "../../../gen/policyguard/bundle/v1/bundle_pb.ts";
import type { ActivationPayload } from "../../kit/bundle/statement-payload.ts";
import { kidsOf, readClaims } from "../bundle-file.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { columns, shown } from "../output.ts";

/** `policy-guard bundle inspect`: what a bundle file says, unchecked. */
export const bundleInspect = defineCommand({
  name: "bundle inspect",
  summary: "Show the content of a bundle file, without checking it.",
  positionals: { label: "<file>", min: 1, max: 1 },
  options: {},
  notes: "Nothing here is checked: `policy-guard bundle verify` does that.",
  async run({ positionals: [path = ""], output }) {
    const { bundle, manifest, activation } = readClaims(path);
    const policies = bundle.parts.flatMap(policyOf);
    const kids = { manifest: kidsOf(bundle.manifest), activation: kidsOf(bundle.activation) };
    const { parts, ...facts } = manifest;
    output.line(output.styled("yellow", "what the file says; none of it is checked"));
    const rows = [
      ...Object.entries({ ...facts, tests: `${facts.tests.passed} passed, ${facts.tests.failed} failed` }),
      ["signed by", kids.manifest.join(", ")],
      ["activation", `${activation.activation_seq}, ${activation.not_before} to ${activation.expires_at}`],
      ["capture", activation.capture],
      ["replay facts", activation.replay_facts === true ? "yes" : "no"],
      ["traces", tracesOf(activation)],
      ["activation signed by", kids.activation.join(", ")],
      ...parts.map((part) => ["part", `${part.path}, ${part.size} bytes, ${part.digest}`]),
      ...policies.map(({ name, version, rules }) => ["policy", `${name}, version ${version}, ${rules} rules`]),
    ];
    for (const line of columns(rows.map((row) => row.map((cell) => shown(String(cell)))))) output.line(line);
    output.json({ verified: false, manifest, activation, kids, policies });
    return exitCodes.fine;
  },
});

function tracesOf({ trace_sampling: sampling }: ActivationPayload): string {
  if (sampling === undefined) return "all";
  return `BLOCK; ${sampling.allow_percent} % of ALLOW, ${sampling.other_percent} % of FLAG and REDACT`;
}

type PolicyFacts = { policy_id: string; name: string; version: number; rules: number };

function policyOf({ path, data }: Part): PolicyFacts[] {
  if (!path.startsWith("policies/")) return [];
  try {
    const part: JsonObject = JSON.parse(Buffer.from(data).toString("utf8"));
    const { document } = part;
    const rules = typeof document === "object" && document !== null && "rules" in document ? document.rules : [];
    return [
      {
        policy_id: String(part.policy_id),
        name: String(part.name),
        version: Number(part.version),
        rules: Array.isArray(rules) ? rules.length : 0,
      },
    ];
  } catch {
    // The rest of a broken bundle is still of interest.
    return [{ policy_id: path, name: "unreadable", version: 0, rules: 0 }];
  }
}
