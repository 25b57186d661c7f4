// The rules of alarms: what they name is what live processes expose.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createAnalysisMetrics } from "../../src/analysis-metrics.ts";
import { createWorkerMetrics } from "../../src/jobs/metrics.ts";
import { createMetrics } from "../../src/kit/observability/metrics.ts";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";

const root = resolve(import.meta.dirname, "..", "..");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const { groups }: { groups: { name: string; rules: Rule[] }[] } = parse(
  readFileSync(join(root, "deploy", "prometheus", "rules.yaml"), "utf8"),
);
const rules = groups.flatMap((group) => group.rules);

const words = new Set(
  "sum rate increase deriv max min by le and or absent histogram_quantile instance stage detector reason task result".split(
    " ",
  ),
);

/** Metrics that an expression names, each with the labels that it asks about. */
function metricsOf(expression: string): { name: string; labels: string[] }[] {
  const bare = expression.replace(/"[^"]*"/g, '""');
  return [...bare.matchAll(/\b([a-z][a-z0-9_]*)\b(?!\s*\()(?:\{([^}]*)\})?/g)]
    .map(([, name = "", inside = ""]) => ({
      name,
      labels: [...inside.matchAll(/([a-z_]+)\s*[=!]/g)].map(([, label = ""]) => label),
    }))
    .filter(({ name }) => !words.has(name) && !/^[smhd]$/.test(name));
}

/** The name under which Prometheus has the values of a histogram. */
function family(name: string): string {
  return name.replace(/_bucket$/, "");
}

/** Labels of each metric, as the table of operations.md has them. */
function documentedLabels(): Map<string, string> {
  const text = readFileSync(join(root, "docs", "operations.md"), "utf8");
  const rows = text.split("\n").flatMap((line) => {
    const [, names, labels] = /^\| (`[a-z_]+`[^|]*) \| ([^|]*) \|/.exec(line) ?? [];
    return [...(names ?? "").matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => [name, labels ?? ""] as const);
  });
  return new Map(rows.toReversed());
}

describe("the rules of alarms", () => {
  let home: Installation;
  let exposed: Set<string>;

  beforeAll(async () => {
    home = await startInstallation();
    const runtime = await home.startRuntime();
    const connected = async () => (await fetch(`${runtime.managementUrl}/metrics`)).text();
    await eventually(async () => expect(await connected()).toMatch(/^reporting_stream_connected 1$/m));
    const worker = createMetrics();
    createWorkerMetrics(worker, () => 0);
    createAnalysisMetrics(worker);
    const texts = await Promise.all([
      ...[home.plane.managementUrl, runtime.managementUrl].map(async (url) => (await fetch(`${url}/metrics`)).text()),
      worker.registry.metrics(),
    ]);
    exposed = new Set(texts.flatMap((text) => [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name = ""]) => name)));
  });

  afterAll(() => home.stop());

  it("are many, each with its own name", () => {
    expect(rules.length).toBeGreaterThanOrEqual(20);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))("%s names what processes expose", (_, { expr }) => {
    const found = metricsOf(expr);
    expect(found.length).toBeGreaterThan(0);
    const labels = documentedLabels();
    for (const { name, labels: asked } of found) {
      expect([...exposed], name).toContain(family(name));
      for (const label of asked) expect(labels.get(family(name)), `${name}{${label}}`).toContain(`\`${label}\``);
    }
  });

  it("each have a paragraph that says what to do", () => {
    const text = readFileSync(join(root, "docs", "deploy", "alarms.md"), "utf8");
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.runbook).toBe(`docs/deploy/alarms.md#${alert.toLowerCase()}`);
      expect(text).toContain(`## ${alert}\n\n${annotations.summary} (\`${labels.severity}\`)\n\n`);
    }
  });

  it("would be told if they named another metric or label", () => {
    expect(metricsOf('sum by (le) (rate(no_such_bucket{code=~"a|b", x="c"}[5m])) > 0.5')).toEqual([
      { name: "no_such_bucket", labels: ["code", "x"] },
    ]);
    expect(exposed.has("no_such")).toBe(false);
    expect(documentedLabels().get("rpc_requests_total")).toBe("`service`, `method`, `code`");
  });
});
