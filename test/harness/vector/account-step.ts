// Steps of vectors about people: what has to be there before a call and cannot be made by the call's own method.

import type { JsonObject } from "@bufbuild/protobuf";
import { PasswordHasher } from "../../../src/domain/identity/password-hash.ts";
import { openSession } from "../../../src/domain/identity/session.ts";
import { totpCode, totpStep } from "../../../src/domain/identity/totp.ts";
import { newTicket, tokenDigest } from "../../../src/kit/crypto/token.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { countHit } from "../../../src/store/identity/address-limit.ts";
import { addOneTimeToken } from "../../../src/store/identity/one-time-token.ts";
import { createPerson, everybodysPassword } from "./person.ts";
import type { SceneStep, Stage } from "./scene-step.ts";
import { isMember } from "./world.ts";

/** What authentication requests one address may send in a minute, unless a control plane is told otherwise. */
const requestsAMinute = 20;

/** Steps about people; see scene.ts. */
export const accountSteps: Readonly<Record<string, SceneStep>> = {
  $person: async ({ as }, { plane }, world) => {
    const persona = String(as ?? "");
    return { ...(isMember(persona) ? await world.person(persona) : await createPerson(plane.database)) };
  },
  $session: async ({ account_id }, { plane }) => {
    const origin = { address: "192.0.2.2", userAgent: "tests" };
    const { sessionId } = await plane.database.accountTransaction(String(account_id), (tx) =>
      openSession(tx, "password", origin),
    );
    return { session_id: sessionId };
  },
  $aged: async ({ account_id, session_id }, { plane }) => {
    await plane.database.accountTransaction(String(account_id), (tx) =>
      tx.sql("update session set created_at = created_at - interval '10 minutes 1 second' where id = ?", [
        String(session_id),
      ]),
    );
    return {};
  },
  $unproven: async ({ account_id }, { plane }) => {
    await plane.database.accountTransaction(String(account_id), (tx) =>
      tx.sql("update account set email_verified_at = null"),
    );
    return {};
  },
  $enrol: async ({ access_token }, stage) => {
    const { secret } = await callAs(stage, String(access_token), "AccountService/EnrolMfa", {});
    return { code: totpCode(fromBase32(String(secret)), totpStep(stage.clock.now())) };
  },
  $factor: async ({ access_token }, stage) => {
    const call = (method: string, request: JsonObject) => callAs(stage, String(access_token), method, request);
    const { secret } = await call("AccountService/EnrolMfa", {});
    const key = fromBase32(String(secret));
    const step = totpStep(stage.clock.now());
    const { recovery_codes } = await call("AccountService/ConfirmMfa", { code: totpCode(key, step) });
    const [recovery, another] = recovery_codes as string[];
    return {
      secret: String(secret),
      used_code: totpCode(key, step),
      code: totpCode(key, step + 1),
      recovery_code: recovery ?? "",
      other_recovery_code: another ?? "",
    };
  },
  $demand_factors: async (_request, { plane }, { orgId }) => {
    await plane.database.systemTransaction(orgId, (tx) =>
      tx.sql("update organization set second_factor_required = true where id = ?", [orgId]),
    );
    return {};
  },
  $link: async ({ purpose, account_id, email, seconds }, { plane }) => {
    const token = newTicket("link");
    const payload = {
      email_text: String(email ?? ""),
      email_key: String(email ?? ""),
      name: "Grace Hopper",
      password_hash: await new PasswordHasher().hash(everybodysPassword),
      organization_name: "Compilers",
    };
    const isReset = purpose === "reset";
    await plane.database.accountTransaction(isReset ? String(account_id) : newId(), async (tx) =>
      addOneTimeToken(tx, isReset ? "reset" : "register", {
        digest: tokenDigest(token),
        payload: isReset ? {} : payload,
        lifeMs: Number(seconds ?? 600) * 1_000,
      }),
    );
    return { token };
  },
  $flood: async (_request, { plane, clock }) => {
    const address = someAddress();
    const limits = { aMinute: requestsAMinute, anHour: requestsAMinute };
    for (let n = 0; n < requestsAMinute; n++) await countHit(plane.database, address, clock.now(), limits);
    return { address };
  },
};

async function callAs({ plane }: Stage, token: string, method: string, request: JsonObject): Promise<JsonObject> {
  const answer = await plane.caller.call("rest", { method, request, token, headers: somewhere() });
  if (answer.status >= 300) throw new Error(`${method} answered ${JSON.stringify(answer.body)}`);
  return answer.body as JsonObject;
}

/**
 * A header that makes a call come from an address of its own, so that calls of different tests are not counted
 * together.
 */
export function somewhere(): Record<string, string> {
  return { "x-forwarded-for": someAddress() };
}

function someAddress(): string {
  const part = () => Math.floor(Math.random() * 256);
  return `10.${part()}.${part()}.${part()}`;
}

/** The bytes of base32 text. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  return Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
