// `npx node scripts/pack-benchmark.ts [pack]`: measures guard packs on their own tests and keeps the figures beside
// them.

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { benchmarkPack } from "../runtime/engine/authoring/pack/benchmark.ts";
import { parsePack } from "../runtime/engine/authoring/pack/parse.ts";
import { shippedModels } from "../src/kit/process/model-file.ts";
import { benchmarkName, readPackFiles } from "../src/kit/process/pack-file.ts";

const only = process.argv[2];

for (const { path, text } of readPackFiles()) {
  const { pack, problems } = parsePack(text);
  if (pack === undefined) throw new Error(`${path}: ${problems[0]?.message}`);
  if (only !== undefined && only !== pack.metadata.id) continue;
  const figures = benchmarkPack(pack, { now: new Date(), models: shippedModels() });
  writeFileSync(join(dirname(path), benchmarkName), `${JSON.stringify(figures, null, 2)}\n`);
  const { id, version } = pack.metadata;
  process.stdout.write(`${id} ${version}: recall ${figures.recall}, robustness ${figures.robustness}\n`);
}
