// Seals stored secrets anew with the first master key, so that an older one can be retired. Each batch is a transaction
// that locks its rows, so a call that rotates a secret at the same time waits for it, or the other way round. Secrets
// that are sealed with the first key are skipped, so the command can be ended at any time and run again.

import type { SealBinding, Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import {
  accountsSealedOtherwise,
  lockSealedOtherwise,
  mailsSealedOtherwise,
  replaceMail,
  type SealedColumn,
  type SealedMailJob,
  writeSealed,
} from "../../store/core/sealed-column.ts";
import { lockAccount } from "../../store/identity/account.ts";
import { lookUpOrganizations } from "../../store/tenancy/organization.ts";
import { signingKeyBinding } from "../bundle/signing-keys.ts";
import { factorBinding } from "../identity/second-factor.ts";
import { clientSecretBinding } from "../identity/sso.ts";
import { mailBinding } from "../mail/mail-queue.ts";
import { organizationSecretBinding } from "../organization-key.ts";
import { secretBinding } from "../webhook/request.ts";

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

const accountColumn = "account.mfa_secret_sealed";
const mailColumn = "graphile_worker.jobs.payload";
/** Sorts before every other id. */
const noId = "00000000-0000-0000-0000-000000000000";

/** Every column with sealed secrets, as "table.column". */
export const sealedColumnNames: readonly string[] = [...columns.map(columnName), accountColumn, mailColumn];

/** A secret that could not be opened and was left unchanged. */
export interface UnopenedSecret {
  readonly column: string;
  /** Organization and key of the row. */
  readonly row: string;
  /** Why, for example that its master key is not configured. */
  readonly message: string;
}

/** The result of a run. */
export interface ResealResult {
  /** Secrets that were sealed anew, by column. */
  readonly counts: ReadonlyMap<string, number>;
  readonly unopened: readonly UnopenedSecret[];
}

/** Seals stored secrets anew. */
export class Reseal {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #counts = new Map(sealedColumnNames.map((column) => [column, 0]));
  readonly #unopened: UnopenedSecret[] = [];

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** Goes over all sealed secrets. */
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
      const values = await lockSealedOtherwise(tx, column, { prefix, after, limit: batch });
      const sorted = this.#renewAll(values, ({ key }) => column.binding(orgId, key));
      for (const { value, sealed } of sorted.renewed) await writeSealed(tx, column, { key: value.key, sealed });
      return { ...sorted, last: values.at(-1)?.key };
    });
    const name = columnName(column);
    this.#count(name, renewed.length);
    for (const { value, message } of unopened)
      this.#unopened.push({ column: name, row: `${orgId} ${value.key}`, message });
    return last;
  }

  async #resealAccounts(): Promise<void> {
    const { prefix } = this.#sealer;
    for (let after: string | undefined = noId; after !== undefined; ) {
      const ids: string[] = await accountsSealedOtherwise(this.#database, { prefix, after, limit: batch });
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
    this.#count(accountColumn, renewed.length);
    for (const { message } of unopened) this.#unopened.push({ column: accountColumn, row: id, message });
  }

  async #resealMails(): Promise<void> {
    const { prefix } = this.#sealer;
    for (let after: string | undefined = "0"; after !== undefined; ) {
      const jobs: SealedMailJob[] = await mailsSealedOtherwise(this.#database, { prefix, after, limit: batch });
      const values = jobs.map((job) => ({ job, sealed: Buffer.from(job.sealed, "base64") }));
      const { renewed, unopened } = this.#renewAll(values, ({ job }) => mailBinding(job.mail_id));
      for (const { value, sealed } of renewed) {
        const isWritten = await replaceMail(this.#database, value.job, sealed.toString("base64"));
        this.#count(mailColumn, isWritten ? 1 : 0);
      }
      for (const { value, message } of unopened)
        this.#unopened.push({ column: mailColumn, row: value.job.mail_id, message });
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
        // It does not stop the others.
        unopened.push({ value, message: error instanceof Error ? error.message : String(error) });
      }
    }
    return { renewed, unopened };
  }

  #count(column: string, count: number): void {
    this.#counts.set(column, (this.#counts.get(column) ?? 0) + count);
  }
}

function columnName({ table, column }: SealedColumn): string {
  return `${table}.${column}`;
}
