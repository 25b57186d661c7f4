// The master key is rotated: what an old key has sealed is sealed with a new one, and the old one goes.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compileCacheVariables } from "../../../../scripts/compile-cache.ts";
import { SigningKeys } from "../../../../src/domain/bundle/signing-keys.ts";
import { factorBinding } from "../../../../src/domain/identity/second-factor.ts";
import { clientSecretBinding, providerOf } from "../../../../src/domain/identity/sso.ts";
import { MailDelivery, MailQueue } from "../../../../src/domain/mail/mail-queue.ts";
import { Reseal, sealedColumnNames } from "../../../../src/domain/operator/reseal.ts";
import { Organizations } from "../../../../src/domain/tenancy/organization.ts";
import { newSecret, openSecrets, sealSecret } from "../../../../src/domain/webhook/request.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { systemClock } from "../../../../src/kit/process/clock.ts";
import { newId } from "../../../../src/kit/process/id.ts";
import type { OutgoingMail } from "../../../../src/platform/mail.ts";
import { createSealer, parseMasterKeys } from "../../../../src/platform/seal.ts";
import { type Database, openDatabase } from "../../../../src/store/connection/database.ts";
import type { Transaction } from "../../../../src/store/core/transaction.ts";
import { findAccount, lockAccount } from "../../../../src/store/identity/account.ts";
import { findSso, SsoRow } from "../../../../src/store/identity/sso.ts";
import { keepSecret, readSecret } from "../../../../src/store/tenancy/organization-secret.ts";
import { lockTarget, WebhookRow } from "../../../../src/store/webhook/webhook.ts";
import { createTestDatabase, type TestDatabase } from "../../../harness/database.ts";
import { dumpOf } from "../../../harness/dump.ts";
import { createPerson } from "../../../harness/vector/person.ts";

const older = `older:${randomBytes(32).toString("base64")}`;
const newer = `newer:${randomBytes(32).toString("base64")}`;
const sealerOf = (...keys: string[]) => createSealer({ masterKeys: parseMasterKeys(keys.join(",")) });
const [before, both, after] = [sealerOf(older), sealerOf(newer, older), sealerOf(newer)];

let urls: TestDatabase;
let database: Database;
let worker: Database;
let orgId: string;

beforeEach(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4 });
  worker = await openDatabase({ url: urls.workerUrl, poolSize: 4 });
  orgId = (await new Organizations(database).create({ name: "Test" })).id;
});

afterEach(async () => {
  await Promise.all([database.close(), worker.close()]);
  await urls.drop();
});

const within = <T>(work: (tx: Transaction) => Promise<T>) => database.systemTransaction(orgId, work);

/** Stores a webhook with two secrets, which are returned, newest first. */
async function storeWebhook(tx: Transaction, id = newId()): Promise<{ id: string; secrets: [string, string] }> {
  const secrets: [string, string] = [newSecret(), newSecret()];
  const [secret, previousSecret] = secrets.map((each) => sealSecret(before, each, { orgId, id }));
  const times = { failingSince: null, createdAt: tx.now, updatedAt: tx.now };
  const previousExpiresAt = new Date(tx.now.getTime() + 3_600_000);
  const rest = { url: "https://hooks.example.com/", events: ["policy.updated"], isActive: true };
  tx.em.create(WebhookRow, { orgId, id, secret, previousSecret, previousExpiresAt, ...rest, ...times });
  return { id, secrets };
}

/** One of each secret that there is. Returns what opens them all with the new key alone. */
async function storeOneOfEach(): Promise<() => Promise<void>> {
  const { id, secrets } = await within((tx) => storeWebhook(tx));
  const signingKeys = new SigningKeys(database, before);
  await within((tx) => signingKeys.signing(tx));
  const { account_id: accountId } = await createPerson(database);
  const factor = randomBytes(20);
  const fingerprint = randomBytes(32);
  await within(async (tx) => {
    const roles = { defaultRole: "viewer" as const, join: "member" as const, roleClaim: null, roleMapping: {} };
    const times = { sessionsSince: tx.now, createdAt: tx.now, updatedAt: tx.now };
    const clientSecret = Buffer.from(before.seal(Buffer.from("hush"), clientSecretBinding(orgId)));
    const provider = { issuer: "https://login.example.com", clientId: "x", clientSecret, enforced: false };
    tx.em.create(SsoRow, { orgId, ...provider, ...roles, ...times });
    const binding = { purpose: "organization.fingerprint_key", orgId, rowId: "fingerprint_key" };
    await keepSecret(tx, "fingerprint_key", before.seal(fingerprint, binding));
  });
  await database.accountTransaction(accountId, async (tx) => {
    const account = await lockAccount(tx);
    if (account !== null) account.mfaSecretSealed = Buffer.from(before.seal(factor, factorBinding(accountId)));
  });
  const log = createLog({ name: "test", level: "silent" });
  const mail = { to: "ada@example.com", subject: "Hello", text: "a link" };
  await within((tx) => new MailQueue(database, { sealer: before, log }).sendWithin(tx, mail));
  return async () => {
    const target = await within((tx) => lockTarget(tx, id));
    if (target === undefined) throw new Error("the webhook is gone");
    const [secret, previousSecret] = secrets;
    expect(openSecrets(after, target, new Date())).toEqual({ secret, previousSecret });
    expect(await within((tx) => new SigningKeys(database, after).signing(tx))).toHaveLength(1);
    const sso = await within(findSso);
    expect(sso && providerOf(sso, after).clientSecret).toBe("hush");
    const kept = (await within((tx) => readSecret(tx, "fingerprint_key"))) ?? new Uint8Array();
    const binding = { purpose: "organization.fingerprint_key", orgId, rowId: "fingerprint_key" };
    expect(Buffer.from(after.open(kept, binding))).toEqual(fingerprint);
    const account = await database.readAccount(accountId, findAccount);
    expect(Buffer.from(after.open(account?.mfaSecretSealed ?? new Uint8Array(), factorBinding(accountId)))).toEqual(
      factor,
    );
    expect(await sentMails()).toEqual([expect.objectContaining(mail)]);
  };
}

/** What the mails of the queue say to whoever has the new key alone. */
async function sentMails(): Promise<OutgoingMail[]> {
  const client = new pg.Client({ connectionString: urls.workerUrl });
  await client.connect();
  const { rows } = await client.query("select payload from graphile_worker._private_jobs");
  await client.end();
  const sent: OutgoingMail[] = [];
  const send = async (mail: OutgoingMail) => void sent.push(mail);
  const delivery = new MailDelivery({ sealer: after, clock: systemClock, transport: { send } });
  for (const { payload } of rows) await delivery.deliver(payload);
  return sent;
}

/** Runs `npm run reseal` as an operator does. */
async function command(...keys: string[]): Promise<{ code: number | null; output: string; errors: string }> {
  const script = fileURLToPath(new URL("../../../../src/reseal.ts", import.meta.url));
  const own = { DATABASE_WORKER_URL: urls.workerUrl, POLICY_GUARD_MASTER_KEY: keys.join(",") };
  const env = { PATH: process.env.PATH, ...compileCacheVariables, ...own };
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, output, errors };
}

describe("npm run reseal", () => {
  it("seals everything with the first key, so that the old key can be taken away; again, it does nothing", async () => {
    const opensAll = await storeOneOfEach();
    await expect(opensAll()).rejects.toThrow('master key "older", which is not configured');
    const first = await command(newer, older);
    expect(first).toMatchObject({ code: 0, errors: "" });
    for (const place of sealedColumnNames) expect(first.output).toContain(`${place}: 1 sealed again`);
    expect(first.output).toContain('Everything that is stored is sealed with "newer".');
    const dump = await dumpOf(urls);
    // The name of the key stands before what it has sealed: in binary columns in hexadecimal, in jobs in base64.
    expect(dump).toContain(`0105${Buffer.from("newer").toString("hex")}`);
    expect(dump).not.toContain(Buffer.from("older").toString("hex"));
    expect(dump).not.toContain(Buffer.from("\x01\x05olde").toString("base64"));
    await opensAll();
    const second = await command(newer);
    expect(second).toMatchObject({ code: 0, errors: "" });
    for (const place of sealedColumnNames) expect(second.output).toContain(`${place}: 0 sealed again`);
  });

  it("says what it cannot open, and fails, when a key is missing", async () => {
    await storeOneOfEach();
    const { code, errors } = await command(newer);
    expect(code).toBe(1);
    for (const place of sealedColumnNames) expect(errors).toContain(`${place} of `);
    expect(errors).toContain('sealed with master key "older", which is not configured');
  });
});

describe("Reseal", () => {
  it("goes over any number in batches, and past one that does not open", async () => {
    const ids = await within(async (tx) => {
      const made: string[] = [];
      for (let count = 0; count < 230; count += 1) made.push((await storeWebhook(tx)).id);
      return made.sort();
    });
    const [broken = ""] = ids;
    await within((tx) =>
      tx.sql("update webhook set secret = set_byte(secret, 30, 255 - get_byte(secret, 30)) where id = ?", [broken]),
    );
    const { counts, unopened } = await new Reseal(worker, both).run();
    expect(counts.get("webhook.secret")).toBe(229);
    expect(counts.get("webhook.previous_secret")).toBe(230);
    expect(unopened).toEqual([
      { column: "webhook.secret", row: `${orgId} ${broken}`, message: expect.stringContaining("was changed") },
    ]);
  });

  it("loses no secret that is rotated at the same time", async () => {
    const ids = await within(async (tx) => {
      const made: string[] = [];
      for (let count = 0; count < 40; count += 1) made.push((await storeWebhook(tx)).id);
      return made;
    });
    const latest = new Map<string, string>();
    const rotations = ids.map((id) =>
      within(async (tx) => {
        await tx.sql("select from webhook where org_id = ? and id = ? for no key update", [orgId, id]);
        const secret = newSecret();
        latest.set(id, secret);
        await tx.sql("update webhook set secret = ? where org_id = ? and id = ?", [
          sealSecret(both, secret, { orgId, id }),
          orgId,
          id,
        ]);
      }),
    );
    await Promise.all([new Reseal(worker, both).run(), ...rotations]);
    for (const id of ids) {
      const target = await within((tx) => lockTarget(tx, id));
      expect(target && openSecrets(after, target, new Date()).secret).toBe(latest.get(id));
    }
  });

  it("knows every binary column that is sealed: the others are digests, or what is public to the organization", async () => {
    const known = new Set([
      ...sealedColumnNames,
      // Sealed under keys of organizations, which are sealed under the master key in organization_secret.
      ...["trace_text.sealed", "dataset_sample.sealed"],
      ...["dataset_version.digest", "dataset_sample.content_hash", "dataset_sample.digest", "dataset_sample.verdict"],
      "dataset_subject.digest",
      ...["stat_delta.tally", "stat_latency.buckets"],
      ...["audit_tile.hashes", "audit_checkpoint.root"],
      ...["audit_entry.leaf_hash", "bundle_part.data", "evaluation_key.payload_hash", "trace.record"],
      ...["token.digest", "token.previous_digest", "session_token.digest", "one_time_token.digest"],
      ...["actor_salt", "address_salt", "before_salt", "after_salt"].map((name) => `audit_opening.${name}`),
      ...["recovery_code.digest", "member.invitation_digest", "login_failure.key"],
      ...["sso_login.state_digest", "sso_login.holder_digest", "erased_subject.digest", "checkout.key_digest"],
    ]);
    const client = new pg.Client({ connectionString: urls.migrationUrl });
    await client.connect();
    const { rows } = await client.query<{ place: string }>(
      `select c.relname || '.' || a.attname as place from pg_attribute a
       join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
         and a.atttypid = 'bytea'::regtype and not a.attisdropped`,
    );
    await client.end();
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.map(({ place }) => place).filter((place) => !known.has(place))).toEqual([]);
  });
});
