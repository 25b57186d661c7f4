// Names of logs: "policy-guard/<id of the installation>/<id of the organization>". The log of an organization goes on
// under one name until its database was restored from a backup and the operator has said so: then an epoch begins, and
// its number follows as "/27993600". So no two checkpoints of one name contradict each other, unless somebody rewrote
// the log.

/** What a name says. */
export interface Origin {
  /** The name without the epoch. */
  readonly log: string;
  readonly orgId: string;
  /** The first is 1. Later ones follow the clock (src/domain/number-after-restore.ts). */
  readonly epoch: number;
}

const form = /^(policy-guard\/[^/\s]+\/([^/\s]+))(?:\/([1-9]\d{0,9}))?$/;

/** Reads a name; undefined when it is of another kind of log. */
export function readOrigin(origin: string): Origin | undefined {
  const [, log, orgId, epoch] = form.exec(origin) ?? [];
  if (log === undefined || orgId === undefined || epoch === "1") return undefined;
  return { log, orgId, epoch: Number(epoch ?? 1) };
}

/** The name of an epoch of a log. */
export function originOf(log: string, epoch: number): string {
  return epoch === 1 ? log : `${log}/${epoch}`;
}

/** Whether two names are of one log, of whichever epoch. */
export function isSameLog(one: string, other: string): boolean {
  return one === other || (readOrigin(one)?.log ?? one) === (readOrigin(other)?.log ?? other);
}
