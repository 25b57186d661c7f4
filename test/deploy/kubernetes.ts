// What the API server takes of the kinds that the chart makes, as far as the chart uses them: types, required members,
// and no member besides. A misspelt member, which the API server would drop or refuse, is an error here.

import { Ajv } from "ajv";
import type { KubernetesObject } from "./chart.ts";

type Shape = Readonly<Record<string, unknown>>;

const text: Shape = { type: "string", minLength: 1 };
const flag: Shape = { type: "boolean" };
const count: Shape = { type: "integer", minimum: 0 };
const texts: Shape = { type: "object", additionalProperties: { type: "string" } };
const name: Shape = { type: "string", pattern: "^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$" };
const label: Shape = { type: "string", pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" };
const quantity: Shape = { type: ["string", "integer"], pattern: "^[0-9]+(\\.[0-9]+)?(m|Ki|Mi|Gi|Ti)?$" };
const port: Shape = { anyOf: [{ type: "integer", minimum: 1, maximum: 65_535 }, label] };

function oneOf(...values: readonly unknown[]): Shape {
  return { enum: values };
}

function list(items: Shape): Shape {
  return { type: "array", items, minItems: 1 };
}

/** An object with these members; those whose name ends with "?" may be missing. */
function object(members: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(members).map(([key, shape]) => ({ key, isOptional: key.endsWith("?"), shape }));
  return {
    type: "object",
    additionalProperties: false,
    required: entries.filter(({ isOptional }) => !isOptional).map(({ key }) => key),
    properties: Object.fromEntries(entries.map(({ key, shape }) => [key.replace("?", ""), shape])),
  };
}

const labels: Shape = { ...texts, minProperties: 1 };
const selector = object({ matchLabels: labels });
const metadata = object({ name, "labels?": labels, "annotations?": texts });
const probe = object({
  httpGet: object({ path: text, port }),
  "periodSeconds?": count,
  "timeoutSeconds?": count,
  "failureThreshold?": count,
});
const resources = object({
  "requests?": object({ "cpu?": quantity, "memory?": quantity }),
  "limits?": object({ "cpu?": quantity, "memory?": quantity }),
});
const container = object({
  name: label,
  image: text,
  imagePullPolicy: oneOf("Always", "IfNotPresent", "Never"),
  "args?": list(text),
  "ports?": list(object({ name: label, containerPort: count })),
  env: list(object({ name: text, value: { type: "string" } })),
  "startupProbe?": probe,
  "livenessProbe?": probe,
  "readinessProbe?": probe,
  resources,
  securityContext: object({
    allowPrivilegeEscalation: oneOf(false),
    readOnlyRootFilesystem: oneOf(true),
    runAsNonRoot: oneOf(true),
    capabilities: object({ drop: oneOf(["ALL"]) }),
    seccompProfile: object({ type: oneOf("RuntimeDefault") }),
  }),
  volumeMounts: list(object({ name: label, mountPath: text, "readOnly?": flag })),
});
const volume = object({
  name: label,
  "emptyDir?": object({ "sizeLimit?": quantity }),
  "secret?": object({ secretName: name, "items?": list(object({ key: text, path: text })) }),
});
const pod = object({
  "serviceAccountName?": name,
  "restartPolicy?": oneOf("Never"),
  automountServiceAccountToken: oneOf(false),
  enableServiceLinks: oneOf(false),
  "terminationGracePeriodSeconds?": oneOf(40),
  securityContext: object({
    runAsNonRoot: oneOf(true),
    runAsUser: oneOf(65_532),
    runAsGroup: oneOf(65_532),
    fsGroup: oneOf(65_532),
    fsGroupChangePolicy: oneOf("OnRootMismatch"),
    seccompProfile: object({ type: oneOf("RuntimeDefault") }),
  }),
  "imagePullSecrets?": list(object({ name })),
  "topologySpreadConstraints?": list(
    object({
      maxSkew: count,
      topologyKey: text,
      whenUnsatisfiable: oneOf("ScheduleAnyway", "DoNotSchedule"),
      labelSelector: selector,
    }),
  ),
  containers: list(container),
  volumes: list(volume),
});
const template = object({ metadata: object({ labels }), spec: pod });
const rolling = object({
  type: oneOf("RollingUpdate"),
  rollingUpdate: object({ maxUnavailable: oneOf(0), maxSurge: count }),
});
const policyPorts = list(object({ protocol: oneOf("TCP", "UDP"), port }));
const peer = object({
  "namespaceSelector?": selector,
  "ipBlock?": object({ cidr: text, "except?": list(text) }),
});

function kind(apiVersion: string, kindName: string, members: Readonly<Record<string, Shape>>): Shape {
  return object({ apiVersion: oneOf(apiVersion), kind: oneOf(kindName), metadata, ...members });
}

const kinds: Readonly<Record<string, Shape>> = {
  Deployment: kind("apps/v1", "Deployment", {
    spec: object({ "replicas?": count, strategy: rolling, selector, template }),
  }),
  StatefulSet: kind("apps/v1", "StatefulSet", {
    spec: object({
      "replicas?": count,
      serviceName: name,
      podManagementPolicy: oneOf("Parallel", "OrderedReady"),
      updateStrategy: object({ type: oneOf("RollingUpdate") }),
      selector,
      template,
      volumeClaimTemplates: list(
        object({
          metadata: object({ name: label }),
          spec: object({
            accessModes: list(oneOf("ReadWriteOnce")),
            "storageClassName?": name,
            resources: object({ requests: object({ storage: quantity }) }),
          }),
        }),
      ),
    }),
  }),
  Job: kind("batch/v1", "Job", { spec: object({ backoffLimit: count, activeDeadlineSeconds: count, template }) }),
  Service: kind("v1", "Service", {
    spec: object({
      "clusterIP?": oneOf("None"),
      selector: labels,
      ports: list(object({ name: label, port: count, targetPort: port, "appProtocol?": text })),
    }),
  }),
  ServiceAccount: kind("v1", "ServiceAccount", { automountServiceAccountToken: oneOf(false) }),
  PodDisruptionBudget: kind("policy/v1", "PodDisruptionBudget", { spec: object({ minAvailable: count, selector }) }),
  HorizontalPodAutoscaler: kind("autoscaling/v2", "HorizontalPodAutoscaler", {
    spec: object({
      scaleTargetRef: object({ apiVersion: oneOf("apps/v1"), kind: oneOf("Deployment", "StatefulSet"), name }),
      minReplicas: count,
      maxReplicas: count,
      metrics: list(
        object({
          type: oneOf("Resource"),
          resource: object({
            name: oneOf("cpu"),
            target: object({ type: oneOf("Utilization"), averageUtilization: count }),
          }),
        }),
      ),
    }),
  }),
  NetworkPolicy: kind("networking.k8s.io/v1", "NetworkPolicy", {
    spec: object({
      podSelector: selector,
      policyTypes: oneOf(["Ingress", "Egress"]),
      ingress: list(object({ "from?": list(peer), ports: policyPorts })),
      egress: list(object({ "to?": list(peer), "ports?": policyPorts })),
    }),
  }),
  Ingress: kind("networking.k8s.io/v1", "Ingress", {
    spec: object({
      "ingressClassName?": name,
      "tls?": list(object({ hosts: list(text), secretName: name })),
      rules: list(
        object({
          host: text,
          http: object({
            paths: list(
              object({
                path: text,
                pathType: oneOf("Prefix"),
                backend: object({ service: object({ name, port: object({ name: label }) }) }),
              }),
            ),
          }),
        }),
      ),
    }),
  }),
  HTTPRoute: kind("gateway.networking.k8s.io/v1", "HTTPRoute", {
    spec: object({
      parentRefs: list(object({ name, "namespace?": name, "sectionName?": text })),
      hostnames: list(text),
      rules: list(object({ backendRefs: list(object({ name, port: count })) })),
    }),
  }),
  ConfigMap: kind("v1", "ConfigMap", { data: texts }),
  PrometheusRule: kind("monitoring.coreos.com/v1", "PrometheusRule", {
    spec: object({
      groups: list(
        object({
          name: text,
          rules: list(object({ alert: text, expr: text, "for?": text, labels: texts, annotations: texts })),
        }),
      ),
    }),
  }),
  PodMonitor: kind("monitoring.coreos.com/v1", "PodMonitor", {
    spec: object({ selector, podMetricsEndpoints: list(object({ port: label, path: text, interval: text })) }),
  }),
};

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
const compiled = new Map(Object.entries(kinds).map(([each, shape]) => [each, ajv.compile(shape)]));

/** What is wrong with an object, in a line each. */
export function objectProblems(given: KubernetesObject): string[] {
  const validate = compiled.get(given.kind);
  if (validate === undefined) return [`there is no kind ${given.kind}`];
  const isTaken: boolean = validate(given);
  if (isTaken) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${given.kind} ${given.metadata?.name}${instancePath}: ${message} ${JSON.stringify(params)}`;
  });
}
