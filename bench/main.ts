// `npm run bench [-- [--quick] name …]`: measures cases side by side in one run and prints their ratios. Nothing here
// is a test: machines are shared and noisy, so only ratios within one run mean something.

import { cpus, totalmem } from "node:os";
import { activationBench } from "./activation.ts";
import { analyticsBench } from "./analytics.ts";
import { benchmarkBench } from "./benchmark.ts";
import { capacityBench } from "./capacity.ts";
import { consoleBench } from "./console.ts";
import { controlPlaneBench } from "./control-plane.ts";
import { detectionBench } from "./detection.ts";
import { engineBench } from "./engine.ts";
import { evaluateRestBench } from "./evaluate-rest.ts";
import { evaluateRpcBench } from "./evaluate-rpc.ts";
import { evidenceBench } from "./evidence.ts";
import { hostileBench } from "./hostile.ts";
import { importBench } from "./import.ts";
import { ingestBench } from "./ingest.ts";
import { languagesBench } from "./languages.ts";
import { loginBench } from "./login.ts";
import type { Bench } from "./measure.ts";
import { modelsBench } from "./models.ts";
import { processesBench } from "./processes.ts";
import { replayBench } from "./replay.ts";
import { rulesBench } from "./rules.ts";
import { startBench } from "./start.ts";
import { streamBench } from "./stream.ts";
import { printTable } from "./table.ts";
import { telemetryBench } from "./telemetry.ts";
import { tracesBench } from "./traces.ts";
import { webhookBench } from "./webhook.ts";

const benches: Readonly<Record<string, Bench>> = {
  "evaluate-rest": evaluateRestBench,
  "evaluate-rpc": evaluateRpcBench,
  processes: processesBench,
  engine: engineBench,
  hostile: hostileBench,
  rules: rulesBench,
  replay: replayBench,
  "control-plane": controlPlaneBench,
  stream: streamBench,
  start: startBench,
  ingest: ingestBench,
  analytics: analyticsBench,
  traces: tracesBench,
  import: importBench,
  benchmark: benchmarkBench,
  activation: activationBench,
  evidence: evidenceBench,
  languages: languagesBench,
  login: loginBench,
  webhook: webhookBench,
  telemetry: telemetryBench,
  models: modelsBench,
  capacity: capacityBench,
  console: consoleBench,
};

const parameters = process.argv.slice(2);
if (parameters[0] === "detection") {
  // Its figures are shares, not ratios of time, and it takes files.
  await detectionBench(parameters.slice(1));
  process.exit(0);
}
const isQuick = parameters.includes("--quick");
const wanted = parameters.filter((name) => name !== "--quick");
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`no such bench: ${unknown.join(", ")}; there are detection, ${Object.keys(benches).join(", ")}`);
  process.exit(1);
}
const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
console.log(`Node ${process.version}, ${machine}\n`);
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  printTable(name, await bench({ isQuick }));
}
// Last, since it is the longest and takes no turns with others.
if (wanted.length === 0) await detectionBench([]);
// Children and pools have ended; whatever a library keeps open must not keep the run open.
process.exit(0);
