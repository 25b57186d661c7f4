import { counted } from "./format.ts";

/** What the dialog says that makes samples of marked traces. */
export const toDatasetTexts = {
  button: "Marked traces to a dataset…",
  title: "Marked traces to a dataset",
  text: "Each trace about which annotators agree becomes one sample, all of them one version. Filters of project, environment, policy and rule apply; the range of time does not.",
  deed: "Make the samples",
  mapping: "What the samples say",
  mark: "Mark",
  becomes: "The sample says",
  marks: "Settled marks",
  samples: {
    "false-positive": "the rule must not match; of a whole trace: the stated outcome, otherwise Allow",
    "false-negative": "the rule must match; of a whole trace: the stated outcome, otherwise Block",
    correct: "the rule does as it did; of a whole trace: the outcome that it had",
    acceptable: "disputed: it is left out of scores",
  } as Readonly<Record<string, string>>,
  dataset: "Dataset",
  newDataset: "a new one",
  missing: "Traces without their whole text",
  redacted: "Traces with redacted text",
  skip: "leave out",
  signals: "samples of what was recorded",
  include: "samples with placeholders",
  done: (added: number, known: number) =>
    `${counted(added, "sample is", "samples are")} added, ${counted(known, "was", "were")} there already.`,
  withoutText: (n: number) => `${counted(n, "trace has", "traces have")} no whole text.`,
  rejected: (n: number, why: string) => `${counted(n, "trace", "traces")} became no sample: ${why}`,
  open: "Open the dataset",
};
