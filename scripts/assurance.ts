// `npm run assurance -- <name> [--n N] [--seed S] [--processes P]`: tries a property far more often than the suite
// does, by the same test, and records the result in docs/assurance.json. Without a name it lists the properties. With
// `--processes 3` the tries are shared among three processes, with the seeds S, S + 1 and S + 2. `fleet` takes the
// checkout of another release with `--previous FOLDER`, which needs its node_modules.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { progressFile, type SampleResult, sampleVariables } from "./assurance/sample.ts";

/** A property that can be tried more often. */
interface Property {
  readonly file: string;
  /** Name of the test, when the file has others. */
  readonly test?: string;
  /** What is counted. */
  readonly unit: string;
  /** Absent when the test always tries every case, and reports how many there were. */
  readonly n?: number;
  /** Whether it can be tried together with the checkout of another release. */
  readonly takesPrevious?: true;
}

const properties: Readonly<Record<string, Property>> = {
  "access-matrix": {
    file: "test/access-matrix.test.ts",
    unit: "calls by everybody of everything, in every dialect; each mutant has to be noticed",
    n: 1_000,
  },
  declarative: {
    file: "test/declarative.test.ts",
    unit: "creations of resources, each held against the rules for declarative clients",
  },
  vectors: { file: "test/vectors.test.ts", unit: "calls of vectors of the control plane, each in all of its dialects" },
  "evaluate-vectors": {
    file: "test/evaluate-vectors.test.ts",
    unit: "calls of evaluate vectors, each on the engine alone and on a live runtime in all of its dialects",
  },
  "fast-paths": {
    file: "test/runtime/evaluate/",
    unit: "evaluate vectors, each by a fast path and by the ordinary one",
  },
  "hostile-texts": {
    file: "test/runtime/engine/evaluate/hostile.test.ts",
    unit: "texts that almost match over and over, through all detectors, short and 16 times as long",
  },
  "killed-adoption": {
    file: "test/runtime/bundle/killed-adoption.test.ts",
    unit: "steps of the adoption of a bundle, with a kill at each",
  },
  "bundle-attacks": {
    file: "test/e2e/bundle-attack.test.ts",
    unit: "attacks on a bundle's way to a real runtime, each refused by its own reason",
  },
  packs: {
    file: "test/runtime/engine/authoring/pack/hub.test.ts",
    unit: "packs, each with every example of every parameter and in every mode",
  },
  overrides: {
    file: "test/e2e/override.test.ts",
    test: "every runtime of a fleet",
    unit: "runtimes that follow an override: when it is set, over a restart of half of them, and when it is ended",
    n: 50,
  },
  outage: { file: "test/e2e/outage.test.ts", unit: "simulated hours without the control plane", n: 24 },
  swaps: { file: "test/e2e/swaps.test.ts", unit: "swaps of the bundle under load", n: 1_000 },
  "kill-runtime": { file: "test/e2e/kill.test.ts", test: "a runtime that is killed", unit: "kills", n: 200 },
  "kill-control-plane": {
    file: "test/e2e/kill.test.ts",
    test: "a control plane that is killed",
    unit: "kills",
    n: 200,
  },
  "kill-worker": { file: "test/e2e/kill.test.ts", test: "a worker that is killed", unit: "kills", n: 200 },
  console: {
    file: "test/console/every-route.test.ts",
    unit: "looks at the routes of the console, each in both themes and widths and by all roles; each route also in every state",
  },
  "console-dialogs": {
    file: "test/console/dialog.test.ts",
    unit: "routes of the console, and ways to dialogs that come after something else, with every dialog in all of its states",
  },
  runs: {
    file: "test/api/run/worker-kill.test.ts",
    unit: "kills of worker and control plane in erasures, replays, benchmarks, calibrations and imports",
    n: 50,
  },
  "large-import": {
    file: "test/api/measure/dataset-import.test.ts",
    test: "of a large file|above the limit",
    unit: "MiB of one body that is imported; a byte above the limit is refused",
    n: 256,
  },
  "dataset-round-trip": {
    file: "test/src/rpc/measure/dataset-round-trip.test.ts",
    test: "whatever its samples say",
    unit: "datasets of hostile samples, each exported and imported again in each of three formats",
    n: 34_000,
  },
  fleet: {
    file: "test/e2e/fleet.test.ts",
    unit: "planned calls of a fleet whose processes are drained, replaced, killed and stopped in turn, and whose database restarts",
    n: 100_000,
    takesPrevious: true,
  },
  "kill-publisher": {
    file: "test/api/webhook/worker-kill.test.ts",
    test: "a publisher that is killed",
    unit: "kills around the commit of an event",
    n: 200,
  },
  analytics: {
    file: "test/src/domain/telemetry/analytics.property.test.ts",
    unit: "answers of analytics against a scan, after random ingests, late and repeated records, and kills in a fold",
    n: 3_000,
  },
  erasure: {
    file: "test/src/domain/telemetry/erasure.property.test.ts",
    unit: "worlds with erasures, of which every table is read, and everything about others asked for",
    n: 100,
  },
  stripe: {
    file: "test/src/domain/billing/stripe.test.ts",
    test: "that are shuffled",
    unit: "lives of a subscription at a stand-in for Stripe, heard of by events that are shuffled, repeated and lost",
    n: 10_000,
  },
  "stripe-latency": {
    file: "test/api/billing/stripe-latency.test.ts",
    unit: "events of a stand-in for Stripe, with the time until what was bought is in force",
    n: 300,
  },
  ssrf: {
    file: "test/src/kit/net/outbound/ssrf.test.ts",
    unit: "requests to addresses of every kind, named in every way",
  },
  "webhook-burst": { file: "test/api/webhook/burst.test.ts", unit: "blocked evaluations of one burst", n: 100_000 },
  streaming: {
    file: "test/runtime/engine/stream/equality.test.ts",
    unit: "streams against the unary answer",
    n: 100_000,
  },
  automaton: {
    file: "test/runtime/engine/pattern/aho-corasick.test.ts",
    unit: "sets of literals against a plain search for each, in each of three ways",
    n: 34_000,
  },
  "literal-index": {
    file: "test/runtime/engine/pattern/literal-index.test.ts",
    unit: "sets of literals against the automaton, in each of three ways",
    n: 34_000,
  },
  matcher: {
    file: "test/runtime/engine/pattern/compile-pattern.test.ts",
    test: "a pattern with required literals.*has",
    unit: "patterns by literals and windows against the same on the whole text: made-up ones, built-in ones, and such as may begin with what they do not need",
    n: 34_000,
  },
  calibration: {
    file: "test/src/kit/statistics/learn-then-test.test.ts",
    test: "no more worlds than it says",
    unit: "worlds in which a threshold is calibrated and its true rate of false positives is known",
    n: 100_000,
  },
  "calibration-strata": {
    file: "test/src/domain/measure/calibration/calibration-estimate.test.ts",
    test: "over all of the traffic",
    unit: "worlds of traffic drawn with several probabilities, each calibrated",
    n: 2_000,
  },
  "calibration-discoveries": {
    file: "test/src/domain/measure/calibration/calibration-estimate.test.ts",
    test: "share of wrong matches is known",
    unit: "worlds in which a threshold is calibrated and its true share of wrong matches is known",
    n: 10_000,
  },
  "calibration-average": {
    file: "test/src/domain/measure/calibration/calibration-estimate.test.ts",
    test: "holds on average in worlds",
    unit: "worlds in which a threshold is calibrated to hold on average, and its true rate is known",
    n: 20_000,
  },
  "candidate-gate": {
    file: "test/src/kit/statistics/mixture-test.test.ts",
    test: "peeked at",
    unit: "candidates whose rate is not below the bound, looked at after every 100 evaluations",
    n: 10_000,
  },
  "false-positive-budget": {
    file: "test/src/kit/statistics/mixture-test.test.ts",
    test: "a budget",
    unit: "windows of marks at the budget, and as many at twice the budget, looked at after every mark",
    n: 10_000,
  },
  "grouped-samples": {
    file: "test/src/kit/statistics/f1.test.ts",
    test: "groups are few and of unequal size",
    unit: "datasets in groups of unequal size, judged by a guard that is at the limit of a gate exactly",
    n: 50_000,
  },
  "baseline-gate": {
    file: "test/src/domain/measure/benchmark/judge-benchmark.test.ts",
    test: "worse by the margin",
    unit: "versions that are worse than the baseline by exactly the margin of a gate",
    n: 10_000,
  },
  replay: {
    file: "test/runtime/engine/replay/replay.property.test.ts",
    test: "a replay",
    unit: "records judged by other policies, with facts hidden, against the evaluation itself",
    n: 100_000,
  },
  conditions: {
    file: "test/runtime/engine/policy/condition-oracle.test.ts",
    unit: "conditions against another implementation of CEL",
    n: 100_000,
  },
  strictness: {
    file: "test/runtime/engine/authoring/diff-strictness.test.ts",
    unit: "changes of a policy, each with requests that show whether it is stricter, in each of two ways",
    n: 20_000,
  },
  "mutated-policies": {
    file: "test/runtime/engine/policy/mutation.test.ts",
    unit: "documents with parts replaced, and as many made of odd YAML",
    n: 20_000,
  },
  "lazy-automaton": {
    file: "test/runtime/engine/pattern/lazy-dfa.test.ts",
    unit: "patterns against the engine, in each of two ways",
    n: 50_000,
  },
  "spans-normalized": {
    file: "test/runtime/engine/text/normalize.test.ts",
    test: "maps every part back",
    unit: "texts whose normalised form is mapped back",
    n: 100_000,
  },
  spans: {
    file: "test/runtime/engine/text/obfuscation/span.test.ts",
    unit: "texts with a hidden part, mapped back from each of their forms",
    n: 100_000,
  },
  quota: { file: "test/src/domain/billing/quota-simulation.test.ts", unit: "schedules of 50 runtimes", n: 100 },
  billing: {
    file: "test/src/domain/billing/proof/billing-model.test.ts",
    unit: "model-based runs of subscriptions: calls, payments, the operator, clocks, races and crashes",
    n: 2_000,
  },
  "billing-quota": {
    file: "test/src/domain/billing/proof/plan-change.test.ts",
    unit: "schedules of 50 runtimes whose plan goes up, down and up within a month",
    n: 10,
  },
  "billing-breakdown": {
    file: "test/src/domain/billing/proof/breakdown.test.ts",
    unit: "breakdowns by random dimensions and filters against a plain count of what was ingested",
    n: 2_000,
  },
  "billing-story": {
    file: "test/e2e/billing.test.ts",
    unit: "stories of a bill on real processes, from a used up trial to a paid invoice, in a browser where one is installed",
  },
  "quota-fleet": {
    file: "test/e2e/quota.test.ts",
    test: "is shared by runtimes under load",
    unit: "real runtimes",
    n: 50,
  },
  "large-bundle": { file: "test/e2e/large-bundle.test.ts", unit: "sizes of bundles, published, pulled and enforced" },
  "hostile-authors": {
    file: "test/e2e/hostile-authors.test.ts",
    test: "keep no neighbour waiting",
    unit: "documents that are written to be expensive, with the wait of another organization's calls beside them",
    n: 1_000,
  },
  scim: {
    file: "test/src/domain/scim/patch.test.ts",
    unit: "random PATCH programs against a model",
    n: 10_000,
  },
  "alert-kills": {
    file: "test/src/domain/alert/evaluation.test.ts",
    test: "an episode is told once, however often",
    unit: "episodes at whose beginning or end a worker that evaluated was killed, half of them with a rival at work",
    n: 50,
  },
  "alert-rules": {
    file: "test/src/domain/alert/many-rules.test.ts",
    unit: "alert rules of organizations with 200 each, all compared, twice",
    n: 10_000,
  },
  overlays: {
    file: "test/runtime/engine/overlay/law.property.test.ts",
    unit: "merges of three random overlays each, and as many streams of engines with random overlays",
    n: 10_000,
  },
  "language-packs": {
    file: "test/runtime/engine/overlay/shipped.property.test.ts",
    unit: "streams with all language packs on, against the whole text and against what is found without packs",
    n: 10_000,
  },
  "innocent-packs": {
    file: "test/runtime/engine/overlay/innocent.test.ts",
    unit: "innocent texts of the corpus that all language packs read, some of them again to compare the cost",
  },
  "language-measures": {
    file: "test/runtime/engine/overlay/measured.test.ts",
    unit: "texts by another author than the packs, measured anew; a failure is a pack whose figures are others",
  },
  "scim-filters": {
    file: "test/api/scim/filter.property.test.ts",
    unit: "random filters in the database, against the same filter on each user as it is shown",
    n: 10_000,
  },
  "scim-large": {
    file: "test/api/scim/large-directory.test.ts",
    unit: "users of a directory, with the slowest of a hundred calls of each kind",
    n: 10_000,
  },
  "scim-leavers": {
    file: "test/api/scim/revocation.test.ts",
    unit: "people deactivated, each refused at two control planes and at a runtime",
    n: 200,
  },
  "evidence-logs": {
    file: "test/src/kit/evidence/log-verifier.test.ts",
    test: "whatever was done to a line",
    unit: "logs of evidence with a byte, a line or an order changed, each refused, by the number of the entry",
    n: 10_000,
  },
  "evidence-export": {
    file: "test/src/domain/telemetry/evidence-export.test.ts",
    unit: "entries of a log that was exported as JSONL and as ZIP, and verified, in bounded memory",
    n: 1_000_000,
  },
  restore: {
    file: "test/e2e/restore.test.ts",
    test: "a restore is noticed",
    unit: "restores of PostgreSQL to a moment under load, after each of which every runtime takes the next activation",
    n: 10,
  },
  "evidence-proofs": {
    file: "test/src/kit/evidence/mutated-proof.test.ts",
    unit: "proofs of inclusion and consistency with one thing changed, each refused",
    n: 1_000_000,
  },
  "model-kills": {
    file: "test/runtime/model-host/killed-host.test.ts",
    unit: "kills of the host of models under load, which fail no evaluation",
    n: 200,
  },
  "model-scores": {
    file: "test/runtime/model-host/host.test.ts",
    test: "gives a text the same score alone and among others",
    unit: "texts that a model scores alone and among others, each time alike",
    n: 10_000,
  },
  "model-memory": {
    file: "test/runtime/model-host/memory.test.ts",
    unit: "runs of a model, with the memory of its host after half of them and at their end",
    n: 200_000,
  },
  soak: { file: "test/e2e/soak.test.ts", unit: "seconds under load", n: 1_200 },
  "power-loss": {
    file: "test/runtime/control-plane/spool/power-loss.test.ts",
    unit: "schedules, half of them in each mode",
    n: 10_000,
  },
};

/** How often the progress is shown. */
const progressMs = 15_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const recordFile = join(root, "docs", "assurance.json");

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      n: { type: "string" },
      seed: { type: "string", default: "1" },
      processes: { type: "string", default: "1" },
      previous: { type: "string" },
    },
  });
  const [name = ""] = positionals;
  const property = properties[name];
  if (property === undefined) {
    console.error("npm run assurance -- <name> [--n N] [--seed S] [--processes P]\n\nnames:");
    for (const [known, { unit, n }] of Object.entries(properties)) console.error(`  ${known}: ${n ?? "all"} ${unit}`);
    return 2;
  }
  if (property.n === undefined && values.n !== undefined) throw new Error(`${name} always tries all; leave out --n`);
  const wanted = property.n === undefined ? undefined : wholeNumber(values.n ?? String(property.n), "--n");
  const seed = wholeNumber(values.seed, "--seed");
  const processes = Math.max(1, wholeNumber(values.processes, "--processes"));
  if (wanted === undefined && processes > 1) throw new Error(`${name} always tries all; leave out --processes`);
  if (values.previous !== undefined && property.takesPrevious !== true) throw new Error(`${name} takes no --previous`);
  const previous = values.previous && resolve(values.previous);
  if (previous !== undefined) process.env[sampleVariables.previous] = previous;
  const shares = Array.from({ length: processes }, (_, at) => shareOfTries(wanted, at, processes));
  const results = await Promise.all(shares.map((share, at) => tryOut(property, share, seed + at)));
  const { n, failures, figures } = summed(results);
  record(name, {
    n,
    failures,
    ...figures,
    ...(processes > 1 && { processes }),
    ...(previous !== undefined && { previous: commit(previous) }),
    seed,
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  });
  console.log(`${name}: ${n} ${property.unit}, ${failures} failed (seed ${seed})`);
  return failures === 0 ? 0 : 1;
}

/** Runs the property's test; returns the number of tries and of failures, and the measurements. */
async function tryOut({ file, test }: Property, wanted: number | undefined, seed: number): Promise<SampleResult> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-assurance-"));
  const report = join(folder, "report.jsonl");
  const teller = setInterval(tellProgress, progressMs, progressFile(report), wanted);
  try {
    const parameters = ["run", file, "--testTimeout=0", ...(test === undefined ? [] : ["--testNamePattern", test])];
    const { n: nName, seed: seedName, report: reportName } = sampleVariables;
    const sample = { ...(wanted !== undefined && { [nName]: String(wanted) }), [seedName]: String(seed) };
    const env = { ...process.env, ...sample, [reportName]: report };
    const isPassed = await run("vitest", parameters, env);
    const results = existsSync(report) ? readFileSync(report, "utf8").trim().split("\n") : [];
    const { n, failures, figures } = summed(results.map((line): SampleResult => JSON.parse(line)));
    // The number of actual tries counts. A test that broke off, or was not found, has reported nothing; that is a
    // failure, too.
    return { n, failures: isPassed && n > 0 ? failures : Math.max(1, failures), figures };
  } finally {
    clearInterval(teller);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tries of one process of several; undefined where every process tries all. */
function shareOfTries(wanted: number | undefined, at: number, processes: number): number | undefined {
  if (wanted === undefined) return undefined;
  return Math.floor((wanted * (at + 1)) / processes) - Math.floor((wanted * at) / processes);
}

function summed(samples: readonly SampleResult[]): SampleResult {
  return {
    n: samples.reduce((sum, one) => sum + one.n, 0),
    failures: samples.reduce((sum, one) => sum + one.failures, 0),
    figures: Object.assign({}, ...samples.map((one) => one.figures)),
  };
}

/** Says how far the test has come, if it tells. */
function tellProgress(file: string, wanted: number | undefined): void {
  if (!existsSync(file)) return;
  const done = Number(readFileSync(file, "utf8"));
  console.log(`${new Date().toISOString().slice(11, 19)}: ${done}${wanted === undefined ? "" : ` of ${wanted}`} tried`);
}

function run(command: string, parameters: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { cwd: root, env, stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code === 0));
  });
}

function record(name: string, entry: object): void {
  const known: Record<string, object> = existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, "utf8")) : {};
  const sorted = Object.entries({ ...known, [name]: entry }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(recordFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/** The commit, marked when the files differ from it. */
function commit(checkout = root): string {
  const git = (...parameters: string[]) => execFileSync("git", parameters, { cwd: checkout, encoding: "utf8" }).trim();
  return `${git("rev-parse", "--short=12", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+changes"}`;
}

function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${option} takes a whole number`);
  return Number(text);
}
