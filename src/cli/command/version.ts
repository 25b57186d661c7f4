import { productVersion } from "../../kit/process/product-folder.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";

/** `policy-guard version`. */
export const version = defineCommand({
  name: "version",
  summary: "Print the version.",
  positionals: { label: "", min: 0, max: 0 },
  options: {},
  async run({ output }) {
    output.line(`policy-guard ${productVersion()} (Node ${process.versions.node})`);
    output.json({ version: productVersion(), node: process.versions.node });
    return exitCodes.fine;
  },
});
