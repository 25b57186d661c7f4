import type { JsonObject } from "@bufbuild/protobuf";
import { stringify } from "yaml";
import { instantiatePack } from "../../../runtime/engine/authoring/pack/instantiate.ts";
import { objectOf, type Pack, PackParametersInvalid } from "../../../runtime/engine/authoring/pack/pack.ts";
import { defineCommand } from "../command.ts";
import { exitCodes, refusal } from "../failure.ts";
import { columns, type Output } from "../output.ts";
import { ownPacks, requirePack } from "../pack-library.ts";
import { readParameters } from "../parameter-file.ts";

/** `policy-guard packs show`: shows a pack with its parameters, or the policy that it makes. */
export const packsShow = defineCommand({
  name: "packs show",
  summary: "Show a guard pack with its parameters, or the policy that it makes.",
  positionals: { label: "<pack>[@version] [name=value]...", min: 1, max: 100 },
  options: {
    policy: { type: "boolean", help: "Print the policy that it makes as YAML, for a repository." },
    parameters: { type: "string", value: "FILE", help: "Values of parameters, as YAML or JSON." },
    "no-tests": { type: "boolean", help: "Leave the tests of the pack out of the policy." },
  },
  notes: "No server is asked. With --policy, values of parameters may be given as name=value too.",
  async run({ values, positionals: [given = "", ...pairs], output }) {
    const library = ownPacks();
    const pack = requirePack(library, given);
    const parameters = readParameters(values.parameters, pairs) ?? {};
    const made = policyOf(pack, parameters, values["no-tests"] !== true);
    const versions = library.versionsOf(pack.metadata.id).map(({ metadata }) => metadata.version);
    if (values.policy === true) {
      if (!output.isJson) output.raw(stringify(made.document, { lineWidth: 120 }));
    } else printPack(pack, versions, output);
    output.json(values.policy === true ? made.document : packJson(pack, versions, made.parameters));
    return exitCodes.fine;
  },
});

function policyOf(pack: Pack, parameters: JsonObject, withTests: boolean) {
  try {
    return instantiatePack(pack, { parameters, withTests });
  } catch (error) {
    if (!(error instanceof PackParametersInvalid)) throw error;
    throw parametersRefused(error);
  }
}

/** The failure for invalid values: the message names the first one, the detail has all of them. */
function parametersRefused({ problems }: PackParametersInvalid) {
  const text = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return refusal("validation_failed", text, {
    detail: { fields: problems.map(({ path: field, message }) => ({ field, message })) },
  });
}

function printPack({ metadata, parameters, tests }: Pack, versions: readonly string[], output: Output): void {
  output.line(output.styled("bold", `${metadata.id} ${metadata.version}: ${metadata.display_name}`));
  output.line(metadata.description);
  output.line(`controls ${metadata.controls.join(", ")}; ${tests.length} tests; versions ${versions.join(", ")}`);
  const rows = Object.entries(objectOf(parameters.properties)).map(([name, schema]) => {
    const { default: usual = null, description = "" } = objectOf(schema);
    return [`  ${name}`, JSON.stringify(usual), String(description)];
  });
  if (rows.length > 0) output.line("parameters:");
  for (const line of columns(rows)) output.line(line);
}

function packJson(
  { metadata, parameters, tests, digest }: Pack,
  versions: readonly string[],
  values: JsonObject,
): JsonObject {
  return {
    ...{ id: metadata.id, version: metadata.version, display_name: metadata.display_name },
    ...{ description: metadata.description, category: metadata.category, author: metadata.author, digest },
    ...{ tags: [...metadata.tags], controls: [...metadata.controls], versions: [...versions] },
    ...{ test_count: tests.length, parameters, values },
  };
}
