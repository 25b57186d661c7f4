// The second factor: codes of an authenticator app, and ten recovery codes in case the app is lost. Every code works
// once, even in a race: the time step of the last used code only grows, and a recovery code is a row that is used once.

import { createHash, randomBytes } from "node:crypto";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";
import type { AccountCaller } from "../../kit/rpc/context.ts";
import type { SealBinding, Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { AccountTransaction } from "../../store/core/transaction.ts";
import { type AccountRow, findAccount, lockAccount, takeMfaStep } from "../../store/identity/account.ts";
import { deleteRecoveryCodes, replaceRecoveryCodes, useRecoveryCode } from "../../store/identity/recovery-code.ts";
import type { EmailAddress } from "../mail/email.ts";
import { factorAddedMail, factorRemovedMail, recoveryCodesMail, type TransactionalMailer } from "../mail/mail.ts";
import { requireAccount } from "./account.ts";
import type { LoginTries } from "./login-try.ts";
import type { StepUp } from "./step-up.ts";
import { base32, keyUri, matchingStep, totpSecretBytes } from "./totp.ts";

const recoveryCodeCount = 10;
const recoveryCodeBytes = 10;
const issuer = "Policy Guard";

/** The data for an authenticator app; shown once. */
export interface Enrolment {
  readonly keyUri: string;
  /** In base32. */
  readonly secret: string;
}

/** What the service is built from. */
export interface SecondFactorParts {
  readonly sealer: Sealer;
  readonly tries: LoginTries;
  readonly stepUp: StepUp;
  /** Undefined when mail is not configured. */
  readonly mailer: TransactionalMailer | undefined;
}

/** Sets up, checks and removes second factors. */
export class SecondFactors {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #parts: SecondFactorParts;

  constructor(database: Database, parts: SecondFactorParts) {
    this.#database = database;
    this.#sealer = parts.sealer;
    this.#parts = parts;
  }

  /**
   * Begins the set-up with a new secret, which takes effect when `confirm` has got a code of it. Without a password the
   * session has to be fresh.
   */
  async enrol(caller: AccountCaller, { password }: { readonly password?: string } = {}): Promise<Enrolment> {
    await this.#parts.stepUp.require(caller, password);
    const { accountId } = caller;
    const secret = randomBytes(totpSecretBytes);
    return this.#database.accountTransaction(accountId, async (tx) => {
      const account = requireAccount(await lockAccount(tx));
      if (account.mfaEnabledAt != null)
        throw conflict("a second factor is set up; disable it before you set up another");
      account.mfaSecretSealed = Buffer.from(this.#sealer.seal(secret, factorBinding(accountId)));
      account.mfaLastStep = null;
      return { keyUri: keyUri(secret, { issuer, account: account.email }), secret: base32(secret) };
    });
  }

  /**
   * Finishes the set-up with a code of the app, and returns the recovery codes. Requires a password or a fresh session,
   * as `enrol` does.
   */
  async confirm(
    caller: AccountCaller,
    { code, password }: { readonly code: string; readonly password?: string },
  ): Promise<string[]> {
    await this.#parts.stepUp.require(caller, password);
    return this.#database.accountTransaction(caller.accountId, async (tx) => {
      const account = requireAccount(await lockAccount(tx));
      if (account.mfaEnabledAt != null) throw conflict("a second factor is already set up");
      if (account.mfaSecretSealed == null) throw conflict("begin the set-up first");
      if (!(await this.#takeAppCode(tx, account, code))) throw codeRefused();
      account.mfaEnabledAt = tx.now;
      account.updatedAt = tx.now;
      const codes = await giveRecoveryCodes(tx);
      tx.changed(caller, change(account.id, { from: false, to: true }));
      await this.#parts.mailer?.sendWithin(tx, factorAddedMail(addressOf(account)));
      return codes;
    });
  }

  /** Removes the second factor, with a code of it or a recovery code. Wrong codes count as failed sign-ins. */
  disable(caller: AccountCaller, code: string): Promise<void> {
    return this.#withCode(caller, code, async (tx, account) => {
      await removeFactor(tx, account);
      tx.changed(caller, change(account.id, { from: true, to: false }));
      await this.#parts.mailer?.sendWithin(tx, factorRemovedMail(addressOf(account)));
    });
  }

  /** Replaces the recovery codes, with a code as `disable` takes it. Returns the new ones; the old ones end. */
  renewRecoveryCodes(caller: AccountCaller, code: string): Promise<string[]> {
    return this.#withCode(caller, code, async (tx, account) => {
      const codes = await giveRecoveryCodes(tx);
      const resource = `account/${account.id}`;
      tx.changed(caller, { resource, before: null, after: { recovery_codes_renewed: true } });
      await this.#parts.mailer?.sendWithin(tx, recoveryCodesMail(addressOf(account)));
      return codes;
    });
  }

  /** Does the work in the transaction that uses up the code. */
  async #withCode<T>(
    caller: AccountCaller,
    code: string,
    work: (tx: AccountTransaction, account: AccountRow) => Promise<T>,
  ): Promise<T> {
    const account = await this.#database.readAccount(caller.accountId, async (tx) =>
      requireAccount(await findAccount(tx)),
    );
    if (account.mfaEnabledAt == null) throw conflict("there is no second factor");
    const done = await this.#parts.tries.run(account.emailKey, caller.audit, async () => {
      const value = await this.#database.accountTransaction(caller.accountId, async (tx) => {
        const current = requireAccount(await lockAccount(tx));
        return (await this.take(tx, current, code)) ? { result: await work(tx, current) } : undefined;
      });
      return { outcome: value === undefined ? ("wrong" as const) : ("right" as const), value };
    });
    if (done === undefined) throw codeRefused();
    return done.result;
  }

  /** Uses a code of the account's app, or a recovery code; true only once for each. */
  async take(tx: AccountTransaction, account: AccountRow, code: string): Promise<boolean> {
    if (account.mfaEnabledAt == null) return false;
    const typed = code.replace(/[\s-]/g, "").toUpperCase();
    if (/^[0-9]{6}$/.test(typed)) return this.#takeAppCode(tx, account, typed);
    return useRecoveryCode(tx, recoveryDigest(typed));
  }

  async #takeAppCode(tx: AccountTransaction, account: AccountRow, code: string): Promise<boolean> {
    if (account.mfaSecretSealed == null) return false;
    const secret = this.#sealer.open(account.mfaSecretSealed, factorBinding(account.id));
    const step = matchingStep(secret, code.replace(/\s/g, ""), tx.now);
    return step !== undefined && (await takeMfaStep(tx, step));
  }
}

/** Replaces the recovery codes of the account, and returns the new ones. */
async function giveRecoveryCodes(tx: AccountTransaction): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
  await replaceRecoveryCodes(tx, codes.map(recoveryDigest));
  return codes;
}

/** Removes the factor of an account, for its owner or for an admin of its organization. */
export async function removeFactor(tx: AccountTransaction, account: AccountRow): Promise<void> {
  account.mfaSecretSealed = null;
  account.mfaEnabledAt = null;
  account.mfaLastStep = null;
  account.updatedAt = tx.now;
  await deleteRecoveryCodes(tx);
}

function addressOf({ email: text, emailKey: key }: AccountRow): EmailAddress {
  return { text, key };
}

/** The seal binding of a second factor's secret. An account belongs to no organization, so the binding names none. */
export function factorBinding(accountId: string): SealBinding {
  return { purpose: "account.mfa_secret", orgId: "", rowId: accountId };
}

/** 80 random bits, in groups that can be read aloud. */
function newRecoveryCode(): string {
  return base32(randomBytes(recoveryCodeBytes)).replace(/.{4}(?=.)/g, "$&-");
}

// A plain hash is enough: nobody can try 2^80 codes.
function recoveryDigest(code: string): Buffer {
  return createHash("sha256").update(code.replaceAll("-", "")).digest();
}

function change(accountId: string, { from, to }: { readonly from: boolean; readonly to: boolean }) {
  return { resource: `account/${accountId}`, before: { mfa_enabled: from }, after: { mfa_enabled: to } };
}

function conflict(message: string): Fault {
  return new Fault(Reason.CONFLICT, message);
}

function codeRefused(): Fault {
  return new Fault(Reason.CODE_REFUSED, "this code is wrong, or was used before");
}
