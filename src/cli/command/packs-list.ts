import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { columns } from "../output.ts";
import { ownPacks } from "../pack-library.ts";

/** `policy-guard packs list`: lists the guard packs. */
export const packsList = defineCommand({
  name: "packs list",
  summary: "List the guard packs.",
  positionals: { label: "", min: 0, max: 0 },
  options: { category: { type: "string", value: "NAME", help: "Only packs of this category." } },
  notes: "These are the packs of this copy of the command; no server is asked.",
  async run({ values: { category }, output }) {
    const packs = ownPacks()
      .newest()
      .filter(({ metadata }) => category === undefined || category === metadata.category);
    const rows = packs.map(({ metadata, tests }) => [
      ...[metadata.id, metadata.version, metadata.category, `${tests.length} tests`, metadata.display_name],
    ]);
    for (const line of columns(rows)) output.line(line);
    if (packs.length === 0) output.note("There is no such pack.");
    output.json({
      packs: packs.map(({ metadata, tests, digest }) => ({
        ...{ id: metadata.id, version: metadata.version, display_name: metadata.display_name },
        ...{ description: metadata.description, category: metadata.category, tags: [...metadata.tags] },
        ...{ controls: [...metadata.controls], test_count: tests.length, digest },
      })),
    });
    return exitCodes.fine;
  },
});
