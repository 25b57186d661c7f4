// The rules of alarms and the dashboard: what they name is what live processes expose.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { eventually } from "../harness/eventually.ts";
import { selfSigned } from "../harness/net/certificate.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { startWorkerProcess, type WorkerProcess } from "../harness/process/worker-process.ts";

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

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard: { readonly title: string; readonly uid: string; readonly panels: readonly Panel[] } = JSON.parse(
  readFileSync(join(root, "deploy", "grafana", "policy-guard.json"), "utf8"),
);
const panels = dashboard.panels.filter(({ type }) => type !== "row");

/** Prometheus's own tool for rules; a package of Debian. */
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

const words = new Set(
  "sum rate increase deriv max min count time by and or absent vector histogram_quantile".split(" "),
);
/** Labels that Prometheus gives, and that of the parts of a histogram. */
const given = ["instance", "job", "le"];

/** Metrics that an expression names, each with the labels that it asks about. */
function metricsOf(expression: string): { name: string; labels: string[] }[] {
  const bare = expression
    .replace(/"[^"]*"/g, '""')
    .replace(/\bby \([^)]*\)/g, "")
    .replace(/\[[^\]]*\]/g, "");
  return [...bare.matchAll(/\b([a-z][a-z0-9_]*)\b(?!\s*\()(?:\{([^}]*)\})?/g)]
    .map(([, name = "", inside = ""]) => ({
      name,
      labels: [...inside.matchAll(/([a-z_]+)\s*[=!]/g)].map(([, label = ""]) => label),
    }))
    .filter(({ name }) => !words.has(name));
}

/** Labels that an expression groups by. */
function groupsOf(expression: string): string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(",").map((one) => one.trim()),
  );
}

/** The name under which Prometheus has the values of a histogram. */
function family(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, "");
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

let home: Installation;
let worker: WorkerProcess;
let exposed: Set<string>;

beforeAll(async () => {
  home = await startInstallation();
  worker = await startWorkerProcess({
    DATABASE_WORKER_URL: home.plane.urls.workerUrl,
    POLICY_GUARD_MASTER_KEY: home.masterKey,
    // Nobody listens there: spans are counted all the same.
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
  });
  const runtime = await home.startRuntime();
  const connected = async () => (await fetch(`${runtime.managementUrl}/metrics`)).text();
  await eventually(async () => expect(await connected()).toMatch(/^reporting_stream_connected 1$/m));
  const tls = await runtimeWithTls();
  const urls = [home.plane.managementUrl, runtime.managementUrl, tls, `http://127.0.0.1:${worker.managementPort}`];
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  exposed = new Set(texts.flatMap((text) => [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name = ""]) => name)));
  // Read from the database when they are asked for.
  expect(texts[3]).toMatch(/^job_queue_age_seconds [0-9.]+$/m);
  expect(texts[3]).toMatch(/^quota_leases_outstanding 0$/m);
  expect(texts[0]).toMatch(/^database_pool_waiting 0$/m);
  const endsAtS = Number(/^certificate_end_timestamp_seconds (\S+)$/m.exec(texts[2] ?? "")?.[1]);
  expect(Math.abs(endsAtS - Date.now() / 1_000 - 86_400)).toBeLessThan(3_600);
});

async function runtimeWithTls(): Promise<string> {
  const { certificate, key } = selfSigned(["localhost"]);
  const folder = home.newFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "certificate.pem"), certificate);
  writeFileSync(join(folder, "key.pem"), key);
  const files = {
    TLS_CERTIFICATE_FILE: join(folder, "certificate.pem"),
    TLS_KEY_FILE: join(folder, "key.pem"),
  };
  return (await home.startRuntime({ env: files })).managementUrl;
}

afterAll(async () => {
  await worker.stop();
  await home.stop();
});

/** Metrics of an expression that nothing exposes, and labels that they do not have. */
function unknownIn(expression: string, legend = ""): string[] {
  const found = metricsOf(expression);
  expect(found.length).toBeGreaterThan(0);
  const labels = documentedLabels();
  const has = (name: string, label: string) => labels.get(family(name))?.includes(`\`${label}\``) === true;
  const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
  const grouped = [...groupsOf(expression), ...shown].filter((label) => !given.includes(label));
  return [
    ...found.filter(({ name }) => !exposed.has(family(name)) && !exposed.has(name)).map(({ name }) => name),
    ...found.flatMap(({ name, labels: asked }) =>
      asked.filter((label) => !has(name, label)).map((l) => `${name}{${l}}`),
    ),
    ...grouped.filter((label) => !found.some(({ name }) => has(name, label))),
    // Without the label in "by", a legend would be empty.
    ...shown.filter((label) => expression.includes("sum") && !groupsOf(expression).includes(label)),
  ];
}

describe("the rules of alarms", () => {
  it("are many, each with its own name", () => {
    expect(rules.length).toBeGreaterThanOrEqual(20);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))("%s names what processes expose", (_, { expr }) => {
    expect(unknownIn(expr)).toEqual([]);
  });

  it("each have a paragraph that says what to do", () => {
    const text = readFileSync(join(root, "docs", "deploy", "alarms.md"), "utf8");
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.runbook).toBe(`docs/deploy/alarms.md#${alert.toLowerCase()}`);
      expect(text).toContain(`## ${alert}\n\n${annotations.summary} (\`${labels.severity}\`)\n\n`);
    }
  });

  it.skipIf(!hasPromtool)("are read by Prometheus, and tell of what they are about", () => {
    const folder = join(root, "deploy", "prometheus");
    execFileSync("promtool", ["check", "rules", "rules.yaml"], { cwd: folder });
    expect(execFileSync("promtool", ["test", "rules", "rules.test.yaml"], { cwd: folder, encoding: "utf8" })).toMatch(
      /SUCCESS/,
    );
  });

  it("would be told if they named another metric or label", () => {
    expect(metricsOf('sum by (le) (rate(no_such_bucket{code=~"a|b", x="c"}[5m])) > 0.5')).toEqual([
      { name: "no_such_bucket", labels: ["code", "x"] },
    ]);
    expect(
      unknownIn('sum by (nobody) (rate(no_such_bucket{code="a"}[5m])) + jobs_total{code="x"}', "{{task}}"),
    ).toEqual([...["no_such_bucket", "no_such_bucket{code}", "jobs_total{code}", "nobody", "task"]]);
    expect(documentedLabels().get("rpc_requests_total")).toBe("`service`, `method`, `code`");
  });
});

describe("the dashboard", () => {
  it("has many panels, each with a title of its own and of some width", () => {
    expect(dashboard).toMatchObject({ title: "Policy Guard", uid: "policy-guard" });
    expect(panels.length).toBeGreaterThan(20);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });

  it.each(panels.map((panel) => [panel.title, panel] as const))("%s shows what processes expose", (_, { targets }) => {
    expect(targets?.length).toBeGreaterThan(0);
    for (const { expr, legendFormat } of targets ?? []) expect(unknownIn(expr, legendFormat)).toEqual([]);
  });
});
