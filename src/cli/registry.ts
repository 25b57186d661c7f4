// Every command by its name. A command is loaded when it is called, so that `version` does not wait for the engine.

import type { CommandEntries } from "./command-entry.ts";

/** The commands, in the order of the help. */
export const commands: CommandEntries = {
  init: {
    summary: "Write a first policy and a workflow for GitHub Actions.",
    load: async () => (await import("./command/init.ts")).init,
  },
  validate: {
    summary: "Check policies: list every problem with its position.",
    load: async () => (await import("./command/validate.ts")).validate,
  },
  test: {
    summary: "Run the tests that policies carry.",
    load: async () => (await import("./command/test.ts")).test,
  },
  eval: {
    summary: "Evaluate a text or a request by policies.",
    load: async () => (await import("./command/eval.ts")).evaluate,
  },
  explain: {
    summary: "Explain the decision about a text or a request.",
    load: async () => (await import("./command/explain.ts")).explain,
  },
  diff: {
    summary: "Compare two versions of a policy in the terms of the language.",
    load: async () => (await import("./command/diff.ts")).diff,
  },
  login: {
    summary: "Store the address of a server and a token for it.",
    load: async () => (await import("./command/login.ts")).login,
  },
  logout: {
    summary: "Delete the stored login.",
    load: async () => (await import("./command/logout.ts")).logout,
  },
  whoami: {
    summary: "Show the credential in use and its permissions.",
    load: async () => (await import("./command/whoami.ts")).whoami,
  },
  "policies list": {
    summary: "List the policies on the server.",
    load: async () => (await import("./command/policies-list.ts")).policiesList,
  },
  "policies get": {
    summary: "Print the document of a policy.",
    load: async () => (await import("./command/policies-get.ts")).policiesGet,
  },
  "policies push": {
    summary: "Create policies on the server, or add versions to them.",
    load: async () => (await import("./command/policies-push.ts")).policiesPush,
  },
  "datasets list": {
    summary: "List the datasets, or with --catalog those that can be installed.",
    load: async () => (await import("./command/datasets/list.ts")).datasetsList,
  },
  "datasets install": {
    summary: "Install a dataset of the catalog.",
    load: async () => (await import("./command/datasets/install.ts")).datasetsInstall,
  },
  "datasets import": {
    summary: "Send a file of samples into a dataset.",
    load: async () => (await import("./command/datasets/import.ts")).datasetsImport,
  },
  "datasets export": {
    summary: "Write the samples of a dataset as JSONL or CSV.",
    load: async () => (await import("./command/datasets/export.ts")).datasetsExport,
  },
  "annotations export": {
    summary: "Make samples of a dataset of what people said of traces.",
    load: async () => (await import("./command/annotations-export.ts")).annotationsExport,
  },
  "benchmark run": {
    summary: "Measure a policy, a bundle or a detector on a dataset.",
    load: async () => (await import("./command/benchmark-run.ts")).benchmarkRun,
  },
  calibrate: {
    summary: "Find a rule's threshold with a guarantee about false positives, by marks or by a dataset.",
    load: async () => (await import("./command/calibrate.ts")).calibrate,
  },
  "benchmark compare": {
    summary: "Compare two benchmarks of the same samples.",
    load: async () => (await import("./command/benchmark-compare.ts")).benchmarkCompare,
  },
  "benchmark report": {
    summary: "Write the report of a benchmark as CSV, JUnit, SARIF or Markdown.",
    load: async () => (await import("./command/benchmark-report.ts")).benchmarkReport,
  },
  publish: {
    summary: "Sign the policies of an environment as its next bundle.",
    load: async () => (await import("./command/publish.ts")).publish,
  },
  activate: {
    summary: "Put a published bundle into force.",
    load: async () => (await import("./command/activate.ts")).activate,
  },
  "activations list": {
    summary: "List what was in force in an environment, the newest first.",
    load: async () => (await import("./command/activations-list.ts")).activationsList,
  },
  promote: {
    summary: "Take a bundle from one environment to another, unchanged.",
    load: async () => (await import("./command/promote.ts")).promote,
  },
  "gates get": {
    summary: "Show the gates that an environment defines for its versions.",
    load: async () => (await import("./command/gates-get.ts")).gatesGet,
  },
  "gates set": {
    summary: "Replace the gates of an environment by those of a file.",
    load: async () => (await import("./command/gates-set.ts")).gatesSet,
  },
  "gates check": {
    summary: "Say how a version stands before its gates, and begin what is not known yet.",
    load: async () => (await import("./command/gates-check.ts")).gatesCheck,
  },
  "gates results": {
    summary: "List what benchmarks, replays and measurements have said for gates, the newest first.",
    load: async () => (await import("./command/gates-results.ts")).gatesResults,
  },
  "overrides list": {
    summary: "List the rules that an environment keeps in shadow for a while.",
    load: async () => (await import("./command/overrides/list.ts")).overridesList,
  },
  "overrides set": {
    summary: "Keep a rule of an environment in shadow for a while, without a new version.",
    load: async () => (await import("./command/overrides/set.ts")).overridesSet,
  },
  "overrides end": {
    summary: "End an override now: the rule is enforced again.",
    load: async () => (await import("./command/overrides/end.ts")).overridesEnd,
  },
  "packs list": {
    summary: "List the guard packs.",
    load: async () => (await import("./command/packs-list.ts")).packsList,
  },
  "packs show": {
    summary: "Show a guard pack with its parameters, or the policy that it makes.",
    load: async () => (await import("./command/packs-show.ts")).packsShow,
  },
  "packs apply": {
    summary: "Create a policy on the server from a guard pack, or update it.",
    load: async () => (await import("./command/packs-apply.ts")).packsApply,
  },
  replay: {
    summary: "Show what a policy would have decided about a trace, or about requests in a file.",
    load: async () => (await import("./command/replay.ts")).replay,
  },
  "bundle pull": {
    summary: "Fetch the active bundle of a runtime token.",
    load: async () => (await import("./command/bundle-pull.ts")).bundlePull,
  },
  "bundle inspect": {
    summary: "Show the content of a bundle file, without checking it.",
    load: async () => (await import("./command/bundle-inspect.ts")).bundleInspect,
  },
  "bundle verify": {
    summary: "Check a bundle file as a runtime would.",
    load: async () => (await import("./command/bundle-verify.ts")).bundleVerify,
  },
  "traces list": {
    summary: "List traces, the newest first.",
    load: async () => (await import("./command/traces-list.ts")).tracesList,
  },
  "traces get": {
    summary: "Show a trace: what was decided, by which rule, and what was found.",
    load: async () => (await import("./command/traces-get.ts")).tracesGet,
  },
  "traces export": {
    summary: "Write all traces that match, as CSV or JSONL.",
    load: async () => (await import("./command/traces-export.ts")).tracesExport,
  },
  "evidence export": {
    summary: "Write the log of evidence, as JSONL, CSV or a ZIP for an auditor.",
    load: async () => (await import("./command/evidence/export.ts")).evidenceExport,
  },
  "evidence verify": {
    summary: "Verify an export of the log of evidence, or a proof, offline.",
    load: async () => (await import("./command/evidence/verify.ts")).evidenceVerify,
  },
  "evidence watch": {
    summary: "Check that the log of evidence continues what it was at the last check.",
    load: async () => (await import("./command/evidence/watch.ts")).evidenceWatch,
  },
  "evidence keys": {
    summary: "Follow a rotation of the log's key, by what the log itself says.",
    load: async () => (await import("./command/evidence/keys.ts")).evidenceKeys,
  },
  "evidence prove": {
    summary: "Write the proof that an entry is in the log of evidence.",
    load: async () => (await import("./command/evidence/prove.ts")).evidenceProve,
  },
  "model check": {
    summary: "Load the model of a folder as a runtime would, and run its fixtures.",
    load: async () => (await import("./command/model/check.ts")).modelCheck,
  },
  "model bench": {
    summary: "Measure how long the model of a folder takes on this machine.",
    load: async () => (await import("./command/model/bench.ts")).modelBench,
  },
  listen: {
    summary: "Receive deliveries of webhooks, verify and print them.",
    load: async () => (await import("./command/listen.ts")).listen,
  },
  version: { summary: "Print the version.", load: async () => (await import("./command/version.ts")).version },
  help: {
    summary: "Print this, or the help of a command.",
    load: async () => (await import("./command/help.ts")).helpOf(commands),
  },
};
