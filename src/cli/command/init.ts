import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineCommand } from "../command.ts";
import { exitCodes, fileFailure, refusal } from "../failure.ts";
import { replaceFile } from "../file.ts";
import { actionsWorkflow, starterPolicy } from "../template.ts";

const files: readonly (readonly [string, string])[] = [
  [join("policies", "starter.yaml"), starterPolicy],
  [join(".github", "workflows", "policies.yml"), actionsWorkflow],
];

/** `policy-guard init`: writes a first policy and a workflow. */
export const init = defineCommand({
  name: "init",
  summary: "Write a first policy and a workflow for GitHub Actions.",
  positionals: { label: "[folder]", min: 0, max: 1 },
  options: { force: { type: "boolean", help: "Replace existing files." } },
  notes: "It writes policies/starter.yaml, with tests, and .github/workflows/policies.yml.",
  async run({ values, positionals: [folder = "."], output, world }) {
    const paths = files.map(([name]) => join(folder, name));
    const present = paths.filter((path) => existsSync(path));
    if (present.length > 0 && values.force !== true) {
      throw refusal("exists", `${present.join(", ")}: already there; nothing was written`, {
        hint: "--force replaces.",
      });
    }
    for (const [name, content] of files) write(join(folder, name), content);
    for (const path of paths) output.line(`wrote ${path}`);
    output.line(`\nNext: node ${world.program} test ${join(folder, "policies")}`);
    output.json({ files: paths });
    return exitCodes.fine;
  },
});

function write(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw fileFailure(dirname(path), error);
  }
  replaceFile(path, content);
}
