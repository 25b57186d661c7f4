// The chart, rendered by `chart.ts` with many sets of values, and by helm itself where it is installed.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { ChartFailure, type KubernetesObject, merged, renderChart } from "./chart.ts";
import { environmentProblems, missingVariables } from "./environment.ts";
import { objectProblems } from "./kubernetes.ts";

const folder = resolve(import.meta.dirname, "..", "..", "deploy", "chart", "policy-guard");
const defaults = parse(readFileSync(join(folder, "values.yaml"), "utf8"));
const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(join(folder, "values.schema.json"), "utf8")),
);

const secrets = { controlPlane: "guard-secrets", runtime: "guard-runtime" };

/** Values that people install with. */
const sets: Readonly<Record<string, object>> = {
  "as it is": { secrets },
  "one of each": { secrets, controlPlane: { replicas: 1 }, worker: { replicas: 1 }, runtime: { replicas: 1 } },
  "without runtimes": { secrets, runtime: { enabled: false } },
  "runtimes alone": {
    secrets: { runtime: "guard-runtime" },
    controlPlane: { enabled: false },
    runtime: { controlPlaneUrl: "https://guard.example.com" },
  },
  "runtimes without volumes": { secrets, runtime: { persistence: { enabled: false } } },
  "a class of storage": { secrets, runtime: { persistence: { storageClass: "fast", size: "20Gi" } } },
  "TLS in the processes": {
    secrets,
    controlPlane: { tls: { secretName: "tls" } },
    runtime: { tls: { secretName: "tls" } },
  },
  "an ingress": { secrets, ingress: { enabled: true, host: "guard.example.com", className: "nginx" } },
  "an ingress with a certificate": {
    secrets,
    controlPlane: { publicUrl: "https://guard.example.com" },
    ingress: { enabled: true, host: "guard.example.com", tlsSecretName: "tls", annotations: { a: "b" } },
  },
  autoscaling: {
    secrets,
    controlPlane: { autoscaling: { enabled: true } },
    runtime: { autoscaling: { enabled: true } },
  },
  "autoscaling without volumes": {
    secrets,
    runtime: { autoscaling: { enabled: true, maxReplicas: 40 }, persistence: { enabled: false } },
  },
  "images by digest from a registry with a password": {
    secrets,
    image: {
      controlPlane: { repository: "registry.example.com/guard", digest: `sha256:${"a".repeat(64)}` },
      runtime: { repository: "registry.example.com/runtime", digest: `sha256:${"b".repeat(64)}` },
      pullSecrets: [{ name: "registry" }],
    },
  },
  "further variables": {
    secrets,
    controlPlane: { env: { LOG_LEVEL: "debug", POLICY_GUARD_TRACE_PARTITION: "day", DATABASE_POOL_SIZE: "32" } },
    worker: { env: { POLICY_GUARD_TRACE_PARTITION: "day" } },
    runtime: { env: { SPOOL_MODE: "durable", RUNTIME_PROCESSES: "2" } },
  },
  "a gateway, a replica behind a pooler, and a collector": {
    secrets,
    database: { readReplica: true, pooler: true, newTimeline: "follow" },
    controlPlane: { publicUrl: "https://guard.example.com" },
    httpRoute: {
      enabled: true,
      host: "guard.example.com",
      parentRefs: [{ name: "edge", namespace: "gateways", sectionName: "https" }],
    },
    networkPolicy: { collector: { namespace: "telemetry" } },
  },
  "rules of alarms and the dashboard": {
    secrets,
    monitoring: { prometheusRule: true, dashboard: { enabled: true } },
  },
  "no rules of the network, and a monitor": {
    secrets,
    networkPolicy: { enabled: false },
    monitoring: { podMonitor: true },
  },
};

function of(objects: readonly KubernetesObject[], ...kinds: readonly string[]): KubernetesObject[] {
  return objects.filter(({ kind }) => kinds.includes(kind));
}

function withPods(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return of(objects, "Deployment", "StatefulSet", "Job");
}

function hasLabels(wanted: object, pod: KubernetesObject): boolean {
  const labels = pod.spec.template.metadata.labels;
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

describe.each(Object.entries(sets))("the chart with %s", (_, values) => {
  const { objects } = renderChart(folder, values);
  const pods = withPods(objects);

  it("takes the values, and makes objects that the API server takes", () => {
    expect(validate(merged(defaults, values)), JSON.stringify(validate.errors)).toBe(true);
    expect(objects.flatMap(objectProblems)).toEqual([]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it("starts programs with variables that they read, and secrets that are mounted", () => {
    for (const { spec } of pods) {
      const { containers, volumes } = spec.template.spec;
      const [{ name, args, env, volumeMounts }] = containers;
      const program = args?.[0] ?? name;
      const environment = Object.fromEntries(
        env.map((each: { name: string; value: string }) => [each.name, each.value]),
      );
      expect(Object.keys(environment)).toHaveLength(env.length);
      const claims = spec.volumeClaimTemplates ?? [];
      const known = [
        ...volumes.map((each: { name: string }) => each.name),
        ...claims.map((c: KubernetesObject) => c.metadata.name),
      ];
      for (const mount of volumeMounts) expect(known).toContain(mount.name);
      const isMounted = (path: string) =>
        volumeMounts.some(({ name: of, mountPath }: { name: string; mountPath: string }) => {
          if (!path.startsWith(`${mountPath}/`)) return false;
          const items = volumes.find((each: { name: string }) => each.name === of)?.secret?.items;
          // A Secret of the type kubernetes.io/tls has these two.
          const files = items?.map((item: { path: string }) => item.path) ?? ["tls.crt", "tls.key"];
          return files.includes(path.slice(mountPath.length + 1));
        });
      expect(environmentProblems(program, environment, isMounted)).toEqual([]);
      expect(missingVariables(program, environment)).toEqual([]);
    }
  });

  it("leads each Service, budget, rule and scaler to pods that exist, by ports that they have", () => {
    for (const { kind, metadata, spec } of objects) {
      const target = spec?.podSelector?.matchLabels ?? (kind === "PodDisruptionBudget" && spec.selector.matchLabels);
      if (target)
        expect(
          pods.filter((pod) => hasLabels(target, pod)),
          metadata.name,
        ).toHaveLength(1);
      if (kind === "Service") {
        const [pod, ...others] = pods.filter((each) => hasLabels(spec.selector, each));
        expect(others).toEqual([]);
        const ports = pod?.spec.template.spec.containers[0].ports.map(({ name }: { name: string }) => name);
        for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort);
      }
      if (kind === "HorizontalPodAutoscaler") {
        const scaled = objects.find(
          (each) => each.kind === spec.scaleTargetRef.kind && each.metadata.name === spec.scaleTargetRef.name,
        );
        // A number of replicas of its own would undo what the scaler did.
        expect(scaled?.spec.replicas).toBeUndefined();
      }
      if (kind === "Ingress") {
        const { service } = spec.rules[0].http.paths[0].backend;
        expect(of(objects, "Service").map((each) => each.metadata.name)).toContain(service.name);
      }
    }
    for (const { spec } of of(objects, "HTTPRoute")) {
      const [{ name, port }] = spec.rules[0].backendRefs;
      const service = of(objects, "Service").find((each) => each.metadata.name === name);
      expect(service?.spec.ports.map((each: { port: number }) => each.port)).toContain(port);
    }
    const accounts = of(objects, "ServiceAccount").map(({ metadata }) => metadata.name);
    for (const pod of of(objects, "Deployment", "StatefulSet")) {
      expect(accounts).toContain(pod.spec.template.spec.serviceAccountName);
    }
  });

  it("has a budget where there are two replicas, which an eviction needs to go on", () => {
    const budgets = of(objects, "PodDisruptionBudget").map(({ metadata }) => metadata.name);
    for (const { metadata, spec } of of(objects, "Deployment", "StatefulSet")) {
      if (spec.replicas !== undefined) expect(budgets.includes(metadata.name)).toBe(spec.replicas > 1);
    }
  });
});

describe("the checks", () => {
  it("find a member that is misspelt, missing or of another type, and an object that nobody knows", () => {
    const [service] = of(renderChart(folder, { secrets }).objects, "Service");
    if (service === undefined) throw new Error("there is no Service");
    const spec = { ...service.spec };
    expect(objectProblems({ ...service, spec: { ...spec, clusterIp: "None" } })).toHaveLength(1);
    expect(objectProblems({ ...service, spec: { selector: spec.selector } })).toHaveLength(1);
    expect(objectProblems({ ...service, spec: { ...spec, ports: [{ name: "api", port: "8080" }] } })).toHaveLength(2);
    expect(objectProblems({ ...service, kind: "Servise" })).toEqual(["there is no kind Servise"]);
  });

  it("find a variable that no process reads, a value that it does not take, and a file that nobody mounts", () => {
    const none = () => false;
    expect(environmentProblems("worker", { PORT: "8080" }, none)).toEqual(["worker does not read PORT"]);
    expect(environmentProblems("control-plane", { DRAIN_DELAY: "5 seconds" }, none)).toHaveLength(1);
    expect(environmentProblems("control-plane", { DATABASE_URL_FILE: "/run/x" }, none)).toHaveLength(1);
    expect(missingVariables("worker", {})).toEqual(["DATABASE_WORKER_URL", "POLICY_GUARD_MASTER_KEY"]);
  });
});

describe("the renderer", () => {
  it("refuses what helm would print as nothing, and what it does not know", () => {
    const work = mkdtempSync(join(tmpdir(), "policy-guard-chart-"));
    const rendered = (template: string) => {
      mkdirSync(join(work, "templates"), { recursive: true });
      writeFileSync(join(work, "Chart.yaml"), "name: a\nversion: 1.0.0\nappVersion: 1.0.0\n");
      writeFileSync(join(work, "values.yaml"), "list: [b, a]\nmap: {b: 2, a: 1}\n");
      writeFileSync(join(work, "templates", "NOTES.txt"), template);
      return renderChart(work, {}).notes;
    };
    try {
      expect(rendered("x  {{- range $k, $v := .Values.map }} {{ $k }}{{ $v }}{{ end -}}  y")).toBe("x a1 b2y");
      expect(rendered('{{ if eq .Chart.Name "b" }}b{{ else if .Values.list }}l{{ else }}e{{ end }}')).toBe("l");
      expect(rendered('{{ toYaml .Values.list | nindent 2 }}{{ printf "%s!" (.Chart.Name | quote) }}')).toBe(
        '\n  - b\n  - a"a"!',
      );
      expect(() => rendered("{{ .Values.missing }}")).toThrow("does not exist");
      expect(() => rendered("{{ lower .Chart.Name }}")).toThrow("outside of the part");
      expect(() => rendered("{{ if .Values.list }}")).toThrow("end or else is missing");
    } finally {
      rmSync(work, { recursive: true });
    }
  });
});

describe("the migration", () => {
  const { objects } = renderChart(folder, sets["further variables"] ?? {});
  const [job] = of(objects, "Job");

  it("runs before everything else, and needs nothing that the chart makes", () => {
    expect(job?.metadata.annotations).toEqual({
      "helm.sh/hook": "pre-install,pre-upgrade",
      "helm.sh/hook-weight": "-5",
      "helm.sh/hook-delete-policy": "before-hook-creation",
    });
    expect(job?.spec.template.spec.serviceAccountName).toBeUndefined();
    const made = objects.filter(({ kind }) => kind === "Secret" || kind === "ConfigMap");
    expect(made).toEqual([]);
  });

  it("makes partitions of the length that the processes expect", () => {
    expect(job?.spec.template.spec.containers[0].env).toContainEqual({
      name: "POLICY_GUARD_TRACE_PARTITION",
      value: "day",
    });
  });
});

describe("secrets", () => {
  it("reach only those who need them", () => {
    const { objects } = renderChart(folder, { secrets });
    const keys = withPods(objects).map(({ spec }) => {
      const { containers, volumes } = spec.template.spec;
      const items = volumes.flatMap((each: { secret?: { items: { key: string }[] } }) => each.secret?.items ?? []);
      return [containers[0].name, items.map(({ key }: { key: string }) => key)];
    });
    expect(Object.fromEntries(keys)).toEqual({
      "control-plane": ["database-url", "master-key"],
      worker: ["database-worker-url", "master-key"],
      migrate: ["database-migration-url"],
      runtime: ["runtime-token"],
    });
  });

  it.each([
    ["no secret for the control plane", { secrets: { runtime: "r" } }, "secrets.controlPlane is empty"],
    ["no token for the runtime", { secrets: { controlPlane: "c" } }, "secrets.runtime is empty"],
    ["nobody to report to", { secrets, controlPlane: { enabled: false } }, "runtime.controlPlaneUrl is empty"],
    [
      "a certificate without its key",
      { secrets, controlPlane: { env: { TLS_CERTIFICATE_FILE: "/a" } } },
      "tls.secretName",
    ],
    ["a key without its certificate", { secrets, runtime: { env: { TLS_KEY_FILE: "/a" } } }, "runtime.tls.secretName"],
    ["an ingress without a host", { secrets, ingress: { enabled: true } }, "ingress.host is empty"],
    ["a certificate that nothing uses", { secrets, ingress: { tlsSecretName: "tls" } }, "ingress.enabled is false"],
    [
      "an ingress to nothing",
      {
        secrets,
        controlPlane: { enabled: false },
        runtime: { controlPlaneUrl: "https://a" },
        ingress: { enabled: true, host: "a.example" },
      },
      "no control plane in this release",
    ],
    [
      "a route to no gateway",
      { secrets, controlPlane: { publicUrl: "https://a.example" }, httpRoute: { enabled: true, host: "a.example" } },
      "httpRoute.parentRefs or httpRoute.host is empty",
    ],
    [
      "a route and no address for people",
      { secrets, httpRoute: { enabled: true, host: "a.example", parentRefs: [{ name: "edge" }] } },
      "controlPlane.publicUrl is empty",
    ],
    [
      "two ways to people",
      {
        secrets,
        controlPlane: { publicUrl: "https://a.example" },
        ingress: { enabled: true, host: "a.example" },
        httpRoute: { enabled: true, host: "a.example", parentRefs: [{ name: "edge" }] },
      },
      "are both true",
    ],
    [
      "a certificate and no address for people",
      {
        secrets,
        ingress: { enabled: true, host: "a.example", tlsSecretName: "tls" },
      },
      "controlPlane.publicUrl is empty",
    ],
  ])("%s: the chart says what is missing", (_, values, message) => {
    const render = () => renderChart(folder, values);
    expect(render).toThrow(ChartFailure);
    expect(render).toThrow(message);
  });
});

describe("a replica, a pooler and a new timeline", () => {
  const { objects } = renderChart(folder, sets["a gateway, a replica behind a pooler, and a collector"] ?? {});
  const environments = of(objects, "Deployment").map(({ spec }) => {
    const [{ name, env }] = spec.template.spec.containers;
    return [name, Object.fromEntries(env.map((each: { name: string; value: string }) => [each.name, each.value]))];
  });

  it("are told to those who need to know them", () => {
    const { "control-plane": plane, worker } = Object.fromEntries(environments);
    expect(plane).toMatchObject({
      DATABASE_READ_URL_FILE: "/run/secrets/policy-guard/database-read-url",
      DATABASE_LISTEN_URL_FILE: "/run/secrets/policy-guard/database-listen-url",
      DATABASE_NEW_TIMELINE: "follow",
      TRUSTED_PROXY_HOPS: "1",
    });
    expect(worker).toMatchObject({ DATABASE_NEW_TIMELINE: "follow" });
    expect(worker).not.toHaveProperty("DATABASE_READ_URL_FILE");
  });

  it("leave a way to the collector, in its namespace and at its port only", () => {
    const policies = of(objects, "NetworkPolicy");
    expect(policies).toHaveLength(3);
    for (const { spec } of policies) {
      expect(spec.egress).toContainEqual({
        to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "telemetry" } } }],
        ports: [{ protocol: "TCP", port: 4318 }],
      });
    }
  });
});

describe("the rules of alarms and the dashboard", () => {
  const { objects } = renderChart(folder, sets["rules of alarms and the dashboard"] ?? {});

  it("are those of the folders of Prometheus and Grafana, and no copies", () => {
    const read = (...path: string[]) => readFileSync(join(folder, "..", "..", ...path), "utf8");
    const [rules] = of(objects, "PrometheusRule");
    expect(rules?.spec).toEqual(parse(read("prometheus", "rules.yaml")));
    const [map] = of(objects, "ConfigMap") as (KubernetesObject & { data: Record<string, string> })[];
    expect(JSON.parse(map?.data["policy-guard.json"] ?? "")).toEqual(JSON.parse(read("grafana", "policy-guard.json")));
    expect(map?.metadata).toMatchObject({ labels: { grafana_dashboard: "1" } });
  });
});

describe("the schema of values", () => {
  it.each([
    ["a misspelt name", { controlPlane: { replica: 2 } }],
    ["a secret among the variables", { controlPlane: { env: { DATABASE_URL: "postgres://a:b@c/d" } } }],
    ["a variable that the chart sets itself", { runtime: { env: { POLICY_GUARD_DATA: "/var" } } }],
    ["a number where Kubernetes wants text", { runtime: { env: { RUNTIME_PROCESSES: 2 } } }],
    ["no replicas", { worker: { replicas: 0 } }],
    ["an address without a scheme", { controlPlane: { publicUrl: "guard.example.com" } }],
    ["half a digest", { image: { runtime: { digest: "sha256:abc" } } }],
    ["an address of a replica among the variables", { controlPlane: { env: { DATABASE_READ_URL: "postgres://a/b" } } }],
    ["a timeline that there is not", { database: { newTimeline: "ignore" } }],
    ["a size in words", { runtime: { persistence: { size: "big" } } }],
  ])("refuses %s", (_, values) => {
    expect(validate(merged(defaults, values))).toBe(false);
  });

  it("has every value, and each object refuses what it does not have", () => {
    const open: string[] = [];
    const walk = (schema: Record<string, unknown>, path: string) => {
      const properties = schema.properties as Record<string, Record<string, unknown>> | undefined;
      if (properties === undefined) return;
      if (schema.additionalProperties !== false) open.push(path);
      for (const [key, each] of Object.entries(properties)) walk(each, `${path}.${key}`);
    };
    walk(JSON.parse(readFileSync(join(folder, "values.schema.json"), "utf8")), "");
    expect(open).toEqual([]);
    expect(validate(defaults), JSON.stringify(validate.errors)).toBe(true);
  });
});

describe("the notes", () => {
  it("warn where evaluations can be lost, and only there", () => {
    const { notes } = renderChart(folder, sets["runtimes without volumes"] ?? {});
    expect(notes).toContain("evaluations that are not reported yet die with their pod");
    expect(renderChart(folder, { secrets }).notes).not.toContain("die with their pod");
  });
});

function helm(): boolean {
  try {
    execFileSync("helm", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(helm())("helm itself", () => {
  it.each(Object.entries(sets))("renders the same with %s", (_, values) => {
    const work = mkdtempSync(join(tmpdir(), "policy-guard-chart-"));
    try {
      const file = join(work, "values.yaml");
      writeFileSync(file, stringify(values));
      const text = execFileSync("helm", ["template", "guard", folder, "--namespace", "policy", "--values", file], {
        encoding: "utf8",
      });
      const byName = (objects: readonly KubernetesObject[]) =>
        Object.fromEntries(objects.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
      const theirs = parseAllDocuments(text)
        .map((document) => document.toJS())
        .filter((each) => each !== null);
      expect(byName(theirs)).toEqual(byName(renderChart(folder, values).objects));
    } finally {
      rmSync(work, { recursive: true });
    }
  });
});
