// Seals stored secrets anew with the first master key, so that an older one can be retired. Each batch is a transaction that
// locks its rows, so whoever rotates a secret meanwhile waits for it or is waited for; what is sealed with the first key is
// left alone, so it can be run again, and ended at any time.

import type { SealBinding, Sealer } from "../kit/seal.ts";
import { lockAccount } from "../store/account.ts";
import type { Database } from "../store/database.ts";
import { lookUpOrganizations } from "../store/organization.ts";
import {
  accountsSealedOtherwise,
  lockSealedOtherwise,
  mailsSealedOtherwise,
  replaceMail,
  type SealedColumn,
  type SealedMailJob,
  writeSealed,
} from "../store/sealed-column.ts";
import { organizationSecretBinding } from "./enrolment.ts";
import { mailBinding } from "./mail-queue.ts";
import { factorBinding } from "./second-factor.ts";
import { signingKeyBinding } from "./signing-keys.ts";
import { clientSecretBinding } from "./sso.ts";
import { secretBinding } from "./webhook-request.ts";

/** Secrets that one transaction seals anew. */
const batch = 100;

interface BoundColumn extends SealedColumn {
  readonly binding: (orgId: string, key: string) => SealBinding;
}

const columns: readonly BoundColumn[] = [
  { table: "webhook", column: "secret", rowKey: "id", binding: secretBinding },
  { table: "webhook", column: "previous_secret", rowKey: "id", binding: secretBinding },
  { table: "signing_key", column: "private_sealed", rowKey: "kid", binding: signingKeyBinding },
  { table: "sso_configuration", column: "client_secret", rowKey: "org_id", binding: clientSecretBinding },
  { table: "organization_secret", column: "sealed", rowKey: "name", binding: organizationSecretBinding },
];

const accountPlace = "account.mfa_secret_sealed";
const mailPlace = "graphile_worker.jobs.payload";
/** Before every other id. */
const noId = "00000000-0000-0000-0000-000000000000";

/** Everything that is sealed, as "table.column". */
export const sealedPlaces: readonly string[] = [...columns.map(placeOf), accountPlace, mailPlace];

/** A secret that could not be opened, and was left as it is. */
export interface UnopenedSecret {
  readonly place: string;
  /** Organization and key of the row. */
  readonly row: string;
  /** Such as that its master key is not configured. */
  readonly message: string;
}

/** What came of sealing anew. */
export interface ResealResult {
  /** Secrets that were sealed anew, by place. */
  readonly counts: ReadonlyMap<string, number>;
  readonly unopened: readonly UnopenedSecret[];
}

/** Seals anew what is stored. */
export class Reseal {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #counts = new Map(sealedPlaces.map((place) => [place, 0]));
  readonly #unopened: UnopenedSecret[] = [];

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** Goes over everything that is sealed. */
  async run(): Promise<ResealResult> {
    for (const { id } of await lookUpOrganizations(this.#database)) {
      for (const column of columns) await this.#resealColumn(id, column);
    }
    await this.#resealAccounts();
    await this.#resealMails();
    return { counts: this.#counts, unopened: this.#unopened };
  }

  async #resealColumn(orgId: string, column: BoundColumn): Promise<void> {
    for (let after: string | undefined = ""; after !== undefined; ) {
      after = await this.#resealBatch(orgId, column, after);
    }
  }

  /** Returns the key of the last row, or undefined when there was none. */
  async #resealBatch(orgId: string, column: BoundColumn, after: string): Promise<string | undefined> {
    const { prefix } = this.#sealer;
    const { last, renewed, unopened } = await this.#database.systemTransaction(orgId, async (tx) => {
      const values = await lockSealedOtherwise(tx, column, { prefix, after, most: batch });
      const sorted = this.#renewAll(values, ({ key }) => column.binding(orgId, key));
      for (const { value, sealed } of sorted.renewed) await writeSealed(tx, column, { key: value.key, sealed });
      return { ...sorted, last: values.at(-1)?.key };
    });
    const place = placeOf(column);
    this.#count(place, renewed.length);
    for (const { value, message } of unopened) this.#unopened.push({ place, row: `${orgId} ${value.key}`, message });
    return last;
  }

  async #resealAccounts(): Promise<void> {
    const { prefix } = this.#sealer;
    for (let after: string | undefined = noId; after !== undefined; ) {
      const ids: string[] = await accountsSealedOtherwise(this.#database, { prefix, after, most: batch });
      for (const id of ids) await this.#resealAccount(id);
      after = ids.at(-1);
    }
  }

  async #resealAccount(id: string): Promise<void> {
    const { renewed, unopened } = await this.#database.accountTransaction(id, async (tx) => {
      const account = await lockAccount(tx);
      const sealed = account?.mfaSecretSealed ?? undefined;
      const sorted = this.#renewAll(sealed === undefined ? [] : [{ sealed }], () => factorBinding(id));
      for (const { sealed } of sorted.renewed) if (account !== null) account.mfaSecretSealed = sealed;
      return sorted;
    });
    this.#count(accountPlace, renewed.length);
    for (const { message } of unopened) this.#unopened.push({ place: accountPlace, row: id, message });
  }

  async #resealMails(): Promise<void> {
    const { prefix } = this.#sealer;
    for (let after: string | undefined = "0"; after !== undefined; ) {
      const jobs: SealedMailJob[] = await mailsSealedOtherwise(this.#database, { prefix, after, most: batch });
      const values = jobs.map((job) => ({ job, sealed: Buffer.from(job.sealed, "base64") }));
      const { renewed, unopened } = this.#renewAll(values, ({ job }) => mailBinding(job.mail_id));
      for (const { value, sealed } of renewed) {
        const isWritten = await replaceMail(this.#database, value.job, sealed.toString("base64"));
        this.#count(mailPlace, isWritten ? 1 : 0);
      }
      for (const { value, message } of unopened)
        this.#unopened.push({ place: mailPlace, row: value.job.mail_id, message });
      after = jobs.at(-1)?.job_id;
    }
  }

  #renewAll<Value extends { readonly sealed: Uint8Array }>(
    values: readonly Value[],
    bindingOf: (value: Value) => SealBinding,
  ) {
    const renewed: { readonly value: Value; readonly sealed: Buffer }[] = [];
    const unopened: { readonly value: Value; readonly message: string }[] = [];
    for (const value of values) {
      const binding = bindingOf(value);
      try {
        const secret = this.#sealer.open(value.sealed, binding);
        renewed.push({ value, sealed: Buffer.from(this.#sealer.seal(secret, binding)) });
      } catch (error) {
        // The others are not held up by it.
        unopened.push({ value, message: error instanceof Error ? error.message : String(error) });
      }
    }
    return { renewed, unopened };
  }

  #count(place: string, count: number): void {
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + count);
  }
}

function placeOf({ table, column }: SealedColumn): string {
  return `${table}.${column}`;
}
