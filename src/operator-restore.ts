// `operator after-restore`: for one organization, or for the whole installation, which then works again.

import type { operatorSchema } from "./config.ts";
import { trialSigner } from "./domain/bundle/external-signer.ts";
import { SigningKeys } from "./domain/bundle/signing-keys.ts";
import { eraseSamplesAbout } from "./domain/measure/dataset/dataset-erasure.ts";
import {
  AfterRestore,
  type RestoredOrganization,
  type RestoreInput,
  rotatedKinds,
} from "./domain/operator/after-restore.ts";
import { ErasureRepeat, type LedgerEntry, type Repeated } from "./domain/operator/erasure-repeat.ts";
import { readName, readOrgId, unknownOrganization } from "./domain/operator/operator.ts";
import { RunWorker } from "./domain/run/run-worker.ts";
import { ErasureRun } from "./domain/telemetry/erasure-run.ts";
import { externalSigner } from "./external-signer.ts";
import { validationFailed } from "./kit/fault/fault.ts";
import { createOutbound } from "./kit/net/outbound/client.ts";
import { createNetworkGuard } from "./kit/net/outbound/guard.ts";
import { createLog } from "./kit/observability/log.ts";
import { systemClock } from "./kit/process/clock.ts";
import type { Config } from "./kit/process/config.ts";
import { newId } from "./kit/process/id.ts";
import { readLedgerFiles } from "./ledger-file.ts";
import type { OperatorCommand } from "./operator-arguments.ts";
import { type Answer, answerOf, type BroughtOut } from "./operator-restore-answer.ts";
import { createSealer, parseMasterKeys, type Sealer } from "./platform/seal.ts";
import { listSigningKeys } from "./store/bundle/bundle.ts";
import type { Database } from "./store/connection/database.ts";
import { acceptDatabase, restoreName } from "./store/core/database-identity.ts";
import { lookUpOrganizations } from "./store/tenancy/organization.ts";

/** What the verb works with. */
export interface RestoreParts {
  readonly config: Config<typeof operatorSchema>;
  readonly database: Database;
  readonly openWorker: () => Promise<Database>;
  readonly actor: string;
  readonly isDryRun: boolean;
}

/** Brings an organization, or all of them, out of a restore. */
export async function afterRestore(command: OperatorCommand, parts: RestoreParts): Promise<Answer> {
  const { subject, options } = command;
  if (options["nothing-lost"]) return acceptAsIs(command, parts);
  const { openWorker, isDryRun } = parts;
  const input: RestoreInput = {
    reason: readName(options.reason ?? "", "reason"),
    revokeKeys: readList(options["revoke-keys"]),
    revokeCreatedBefore: readDate(options["revoke-created-before"]),
    rotate: readKinds(options.rotate),
  };
  const ledger = readLedgerFiles(options.erasures ?? []);
  const sealer = sealerOf(parts.config);
  const worker = await openWorker();
  const name = await restoreName(worker);
  if (options.continue && name === undefined)
    throw wrong("continue", "the server does not tell which database this is; give the ids of the organizations");
  const left = readList(options["leave-out"]).map(readOrgId);
  const all = subject === "" ? (await lookUpOrganizations(worker)).map((row) => row.id) : [readOrgId(subject)];
  const orgIds = all.filter((id) => !left.includes(id));
  await requireKeys(worker, orgIds, input.revokeKeys);
  const how = { orgIds, input, isContinued: options.continue };
  const done = await bringOut({ ...parts, sealer, restoreId: name ?? newId() }, how);
  if (subject !== "" && done.unknown.length > 0) throw unknownOrganization();
  const erasures = isDryRun ? [] : await repeatErasures(worker, sealer, ledger);
  const isWhole = done.failed.length === 0 && !erasures.some((each) => "failure" in each);
  const isAccepted = subject === "" && isWhole && !isDryRun;
  if (isAccepted) await acceptDatabase(worker);
  return answerOf({ ...done, erasures, isAccepted, isAll: subject === "" });
}

/** Takes the database as the same one with everything in it. */
async function acceptAsIs({ subject, options }: OperatorCommand, { openWorker, isDryRun }: RestoreParts) {
  const { reason, rotate, erasures, continue: isContinued } = options;
  const others = [subject, reason, rotate, erasures, isContinued];
  const further = [options["revoke-created-before"], options["revoke-keys"], options["leave-out"]];
  if ([...others, ...further].some(Boolean))
    throw wrong("nothing-lost", "is about the whole database, and takes nothing else");
  if (!isDryRun) await acceptDatabase(await openWorker());
  const line = "The installation works on this database, of which nothing is said to be lost.";
  return { json: { organizations: [] }, lines: [line] };
}

/** Brings them out, one after the other. One that fails does not stop the others, whose new tokens are shown once. */
async function bringOut(
  { config, database, actor, isDryRun, sealer, restoreId }: RestoreParts & { sealer: Sealer; restoreId: string },
  { orgIds, input, isContinued }: { orgIds: readonly string[]; input: RestoreInput; isContinued: boolean },
): Promise<BroughtOut> {
  const restored: RestoredOrganization[] = [];
  const before: string[] = [];
  const unknown: string[] = [];
  const failed: BroughtOut["failed"][number][] = [];
  const { allowNetworks = [], dnsServers = [] } = config;
  const outbound = createOutbound({ guard: createNetworkGuard({ allowNetworks, dnsServers }) });
  try {
    const signer = externalSigner(config, outbound);
    const used = signer && (isDryRun ? trialSigner(signer) : signer);
    const keys = new SigningKeys(database, sealer, used, { newTimeline: "any" });
    const work = new AfterRestore({ database, keys, actor, isDryRun, restoreId });
    for (const orgId of orgIds) {
      try {
        const done = isContinued && (await work.isDone(orgId)) ? "before" : await work.restore(orgId, input);
        if (done === "before") before.push(orgId);
        else if (done === undefined) unknown.push(orgId);
        else restored.push(done);
      } catch (error) {
        failed.push({ orgId, error });
      }
    }
    return { restored, before, failed, unknown };
  } finally {
    await outbound.close();
  }
}

/** Throws unless each key is one of these organizations: a slip of the pen would leave a revoked key alive. */
async function requireKeys(worker: Database, orgIds: readonly string[], kids: readonly string[]): Promise<void> {
  const missing = new Set(kids);
  if (kids.length === 0) return;
  for (const orgId of orgIds) {
    for (const use of ["bundle", "log"] as const)
      for (const { kid } of await worker.read(orgId, (tx) => listSigningKeys(tx, use))) missing.delete(kid);
  }
  if (missing.size > 0) throw wrong("revoke-keys", `there is no key ${[...missing].join(", ")}`);
}

function sealerOf({ masterKey }: Config<typeof operatorSchema>): Sealer {
  if (masterKey === undefined)
    throw new Error("POLICY_GUARD_MASTER_KEY: unset; this verb signs with keys that it seals");
  return createSealer({ masterKeys: parseMasterKeys(masterKey) });
}

/** Repeats the erasures of ledgers that were kept elsewhere, without those that the backup has. */
async function repeatErasures(worker: Database, sealer: Sealer, ledger: readonly LedgerEntry[]): Promise<Repeated[]> {
  const log = createLog({ name: "operator", level: "error" });
  const kinds = { erasure: new ErasureRun(sealer, eraseSamplesAbout) };
  const repeated: Repeated[] = [];
  const runs = new RunWorker(worker, { kinds, clock: systemClock, log });
  for await (const each of new ErasureRepeat(worker, runs, sealer).repeat(ledger))
    if ("failure" in each || each.erased !== undefined) repeated.push(each);
  return repeated;
}

function readList(text: string | undefined): string[] {
  return (text?.split(",") ?? []).map((each) => each.trim()).filter((each) => each !== "");
}

function readDate(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw wrong("revoke-created-before", "expected a date such as 2027-01-31");
  return date;
}

function readKinds(text: string | undefined): RestoreInput["rotate"] {
  return readList(text).map((name) => {
    const kind = rotatedKinds.find((each) => each === name);
    if (kind === undefined) throw wrong("rotate", `expected ${rotatedKinds.join(",")}, or one of them`);
    return kind;
  });
}

function wrong(field: string, message: string) {
  return validationFailed([{ field, message }]);
}
