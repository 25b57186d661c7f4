// Where readers of this language find more about a noun: its call in the reference that the control plane serves at
// `/docs`, and the guide in `docs/`. The guides have no address of their own: they come with the source.

/** What can be read about a noun. */
export interface Reading {
  /** The operation that makes one, as the reference names it. */
  readonly operation: string;
  /** The file in `docs/`. */
  readonly guide: string;
}

/** What can be read about each noun that an organization may not have yet. */
export const reading = {
  agents: { operation: "evaluateInput", guide: "api.md" },
  alerts: { operation: "createAlertRule", guide: "alerts.md" },
  benchmarks: { operation: "createBenchmark", guide: "benchmarks.md" },
  calibrations: { operation: "createCalibration", guide: "calibration.md" },
  datasets: { operation: "createDataset", guide: "datasets.md" },
  lists: { operation: "createList", guide: "policy-language.md" },
  policies: { operation: "createPolicy", guide: "policy-language.md" },
  projects: { operation: "createProject", guide: "concepts.md" },
  replays: { operation: "createReplay", guide: "traces.md" },
  review: { operation: "createAnnotation", guide: "annotations.md" },
  runtimes: { operation: "evaluateInput", guide: "first-calls.md" },
  schemas: { operation: "createOutputSchema", guide: "api.md" },
  tokens: { operation: "issueRuntimeToken", guide: "permissions.md" },
  webhooks: { operation: "createWebhook", guide: "webhooks.md" },
} as const satisfies Readonly<Record<string, Reading>>;
