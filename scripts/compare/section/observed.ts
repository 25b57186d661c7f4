// What operators watch: names and labels of metrics, keys of log lines.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type Json, parsed } from "../json.ts";
import type { Installation } from "../process/installation.ts";
import type { Runtime } from "../process/runtime.ts";
import type { Recording } from "../recording.ts";

/** Records the metrics of every process. */
export async function recordMetrics(installation: Installation, runtime: Runtime, recording: Recording): Promise<void> {
  const ports = { ...installation.managementPorts, "runtime of the project": runtime.managementPort };
  for (const [process, port] of Object.entries(ports)) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const [name, shape] of metricsIn(text)) recording.add("metrics", `${process} ${name}`, shape);
  }
}

/** Type and label names of each metric. */
export function metricsIn(text: string): Map<string, Json> {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
  const labels = new Map<string, Set<string>>([...types.keys()].map((name) => [name, new Set()]));
  for (const [, sample = "", list = ""] of text.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/gm)) {
    const base = sample.replace(/_(?:bucket|sum|count)$/, "");
    const known = labels.get(sample) ?? labels.get(base);
    // What Node has open at the moment is chance.
    if (sample.startsWith("nodejs_active_")) continue;
    for (const [, label = ""] of list.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known?.add(label);
  }
  return new Map([...types].map(([name, type]) => [name, { type, labels: [...(labels.get(name) ?? [])].toSorted() }]));
}

/**
 * Records the keys of the log lines of every process: what stands in the data folder, and the log of the project's
 * runtime.
 */
export function recordLogKeys(installation: Installation, runtime: Runtime, recording: Recording): void {
  const names = ["control-plane", "worker", "runtime"];
  const files = names.map((name) => [name, join(installation.dataFolder, "log", `${name}.log`)] as const);
  for (const [process, file] of [...files, ["runtime of the project", runtime.logFile] as const]) {
    const lines = readFileSync(file, "utf8").split("\n").map(parsed).filter(isObject);
    const paths = new Set(lines.flatMap((line) => keysOf(line, "")));
    recording.addAll(
      "log-keys",
      [...paths].toSorted().map((path) => [`${process} ${path}`, path]),
    );
  }
}

function keysOf(value: Json, path: string): string[] {
  if (!isObject(value)) return [path];
  return Object.entries(value).flatMap(([name, member]) => keysOf(member, path === "" ? name : `${path}.${name}`));
}
