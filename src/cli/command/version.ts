import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { packageVersion } from "../package-version.ts";

/** `policy-guard version`. */
export const version = defineCommand({
  name: "version",
  summary: "Print the version.",
  positionals: { label: "", min: 0, max: 0 },
  options: {},
  async run({ output }) {
    output.line(`policy-guard ${packageVersion()} (Node ${process.versions.node})`);
    output.json({ version: packageVersion(), node: process.versions.node });
    return exitCodes.fine;
  },
});
