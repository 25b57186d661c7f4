// The migrations in their order. One that has landed is never edited.

import type { PhasedMigration } from "../phase.ts";
import { KnowProcesses } from "./0034-know-processes.ts";
import { KnowTheDatabase } from "./0035-know-the-database.ts";
import { NameModels } from "./0036-name-models.ts";
import { NamePresets } from "./0037-name-presets.ts";
import { SampleTraces } from "./0038-sample-traces.ts";
import { KeepActivationHistory } from "./0039-keep-activation-history.ts";
import { DemandSecondFactors } from "./0040-demand-second-factors.ts";
import { LabelRuntimes } from "./0041-label-runtimes.ts";
import { Initial } from "./base/0001-initial.ts";
import { NarrowDeliveryIndexes } from "./base/0002-narrow-delivery-indexes.ts";
import { SayWhyCandidatesFail } from "./base/0003-say-why-candidates-fail.ts";
import { AddUsageNotices } from "./base/0004-add-usage-notices.ts";
import { OpenEvidence } from "./base/0005-open-evidence.ts";
import { KnowWhoMadeTokens } from "./base/0006-know-who-made-tokens.ts";
import { RefusedBackendsAndLimits } from "./base/0007-refused-backends-and-limits.ts";
import { KnowWhoInvited } from "./base/0008-know-who-invited.ts";
import { CountAndSeal } from "./base/0009-count-and-seal.ts";
import { KeepReplayFacts } from "./base/0010-keep-replay-facts.ts";
import { RunInSlices } from "./base/0011-run-in-slices.ts";
import { SetRetention } from "./base/0012-set-retention.ts";
import { StandingOfOrganizations } from "./base/0013-standing-of-organizations.ts";
import { BillOrganizations } from "./base/0014-bill-organizations.ts";
import { LetDirectoriesIn } from "./base/0015-let-directories-in.ts";
import { KeepReplayResults } from "./base/0016-keep-replay-results.ts";
import { ForgetEvidence } from "./base/0017-forget-evidence.ts";
import { ConnectStripe } from "./base/0018-connect-stripe.ts";
import { TryAndTell } from "./base/0019-try-and-tell.ts";
import { FindUsersByAddress } from "./base/0020-find-users-by-address.ts";
import { WatchMetrics } from "./base/0021-watch-metrics.ts";
import { KeepDatasets } from "./base/0022-keep-datasets.ts";
import { AnnotateTraces } from "./base/0023-annotate-traces.ts";
import { SpeakLanguages } from "./base/0024-speak-languages.ts";
import { GateVersions } from "./base/0025-gate-versions.ts";
import { KnowFailedAlerts } from "./base/0026-know-failed-alerts.ts";
import { KeepBenchmarkResults } from "./base/0027-keep-benchmark-results.ts";
import { SignCheckpoints } from "./base/0028-sign-checkpoints.ts";
import { ApproveBaselines } from "./base/0029-approve-baselines.ts";
import { JudgeByGates } from "./base/0030-judge-by-gates.ts";
import { BeginEpochs } from "./base/0031-begin-epochs.ts";
import { OverrideRules } from "./base/0032-override-rules.ts";
import { NameRuntimesOfTraces } from "./base/0033-name-runtimes-of-traces.ts";

/**
 * The schema of the first release, as it came about. Nobody runs an older release beside it, so these do what those of
 * later releases may not.
 */
const base = [
  { name: "0001-initial", class: Initial },
  { name: "0002-narrow-delivery-indexes", class: NarrowDeliveryIndexes },
  { name: "0003-say-why-candidates-fail", class: SayWhyCandidatesFail },
  { name: "0004-add-usage-notices", class: AddUsageNotices },
  { name: "0005-open-evidence", class: OpenEvidence },
  { name: "0006-know-who-made-tokens", class: KnowWhoMadeTokens },
  { name: "0007-refused-backends-and-limits", class: RefusedBackendsAndLimits },
  { name: "0008-know-who-invited", class: KnowWhoInvited },
  { name: "0009-count-and-seal", class: CountAndSeal },
  { name: "0010-keep-replay-facts", class: KeepReplayFacts },
  { name: "0011-run-in-slices", class: RunInSlices },
  { name: "0012-set-retention", class: SetRetention },
  { name: "0013-standing-of-organizations", class: StandingOfOrganizations },
  { name: "0014-bill-organizations", class: BillOrganizations },
  { name: "0015-let-directories-in", class: LetDirectoriesIn },
  { name: "0016-keep-replay-results", class: KeepReplayResults },
  { name: "0017-forget-evidence", class: ForgetEvidence },
  { name: "0018-connect-stripe", class: ConnectStripe },
  { name: "0019-try-and-tell", class: TryAndTell },
  { name: "0020-find-users-by-address", class: FindUsersByAddress },
  { name: "0021-watch-metrics", class: WatchMetrics },
  { name: "0022-keep-datasets", class: KeepDatasets },
  { name: "0023-annotate-traces", class: AnnotateTraces },
  { name: "0024-speak-languages", class: SpeakLanguages },
  { name: "0025-gate-versions", class: GateVersions },
  { name: "0026-know-failed-alerts", class: KnowFailedAlerts },
  { name: "0027-keep-benchmark-results", class: KeepBenchmarkResults },
  { name: "0028-sign-checkpoints", class: SignCheckpoints },
  { name: "0029-approve-baselines", class: ApproveBaselines },
  { name: "0030-judge-by-gates", class: JudgeByGates },
  { name: "0031-begin-epochs", class: BeginEpochs },
  { name: "0032-override-rules", class: OverrideRules },
  { name: "0033-name-runtimes-of-traces", class: NameRuntimesOfTraces },
].map((migration): PhasedMigration => ({ ...migration, phase: "base" }));

/** All of them. Beside those of `expand` the processes of the last release go on; see docs/deploy/upgrade.md. */
export const migrations: readonly PhasedMigration[] = [
  ...base,
  { name: "0034-know-processes", class: KnowProcesses, phase: "expand" },
  { name: "0035-know-the-database", class: KnowTheDatabase, phase: "expand" },
  { name: "0036-name-models", class: NameModels, phase: "expand" },
  { name: "0037-name-presets", class: NamePresets, phase: "expand" },
  { name: "0038-sample-traces", class: SampleTraces, phase: "expand" },
  { name: "0039-keep-activation-history", class: KeepActivationHistory, phase: "expand" },
  { name: "0040-demand-second-factors", class: DemandSecondFactors, phase: "expand" },
  { name: "0041-label-runtimes", class: LabelRuntimes, phase: "expand" },
];
