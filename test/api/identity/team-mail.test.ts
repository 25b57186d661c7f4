// With mail configured: an invitation travels from the call to the mail server, through the worker, over TLS that the
// worker insists on; and its link is nowhere but in the mail.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totpCode, totpStep } from "../../../src/domain/identity/totp.ts";
import { selfSigned } from "../../harness/net/certificate.ts";
import { type MailSink, startMailSink } from "../../harness/net/mail-sink.ts";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { startWorkerProcess, type WorkerProcess } from "../../harness/process/worker-process.ts";
import { fromBase32, somewhere } from "../../harness/vector/account-step.ts";
import { createPerson } from "../../harness/vector/person.ts";
import { createWorld, type World } from "../../harness/vector/world.ts";

const link = /https:\/\/guard\.example\.com\/policy\/accept#token=(gr_lnk_\w+)/;
let folder: string;
let sink: MailSink;
let plane: TestControlPlane;
let jobs: pg.Client;
let worker: WorkerProcess | undefined;
let mail: Record<string, string>;
let world: World;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "policy-guard-mail-"));
  const { certificate: cert, key } = selfSigned(["127.0.0.1"]);
  writeFileSync(join(folder, "ca.pem"), cert);
  sink = await startMailSink({ tls: { cert, key }, login: { user: "guard", pass: "s3cret" } });
  mail = {
    SMTP_URL: `smtp://guard:s3cret@127.0.0.1:${sink.port}`,
    MAIL_FROM: "Policy Guard <no-reply@guard.example.com>",
    POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64"),
  };
  plane = await startTestControlPlane({ env: { ...mail, PUBLIC_URL: "https://guard.example.com/policy/" } });
  world = await createWorld(plane.database);
  jobs = new pg.Client({ connectionString: plane.urls.workerUrl });
  await jobs.connect();
});

afterAll(async () => {
  await worker?.stop();
  await jobs.end();
  await plane.stop();
  await sink.close();
  rmSync(folder, { recursive: true });
});

function call(method: string, request: JsonObject, token = world.tokens.admin) {
  return plane.caller.call("rest", { method, request, token, headers: somewhere() });
}

const invite = (email: string) => call("TeamService/InviteMember", { org_id: world.orgId, email, role: "editor" });

async function enrolFactor(token: string): Promise<void> {
  const { body } = await call("AccountService/EnrolMfa", {}, token);
  const key = fromBase32((body as { secret: string }).secret);
  await call("AccountService/ConfirmMfa", { code: totpCode(key, totpStep(new Date())) }, token);
}

async function waitingMails(): Promise<string[]> {
  const { rows } = await jobs.query<{ payload: string }>(
    `select j.payload::text from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'send-mail'`,
  );
  return rows.map(({ payload }) => payload);
}

describe("an invitation by mail", () => {
  it("is in no answer, and waits sealed for the worker", async () => {
    const { status, body } = await invite("grace@example.com");
    expect([status, (body as JsonObject).invitation_link]).toEqual([201, null]);
    const [payload = ""] = await waitingMails();
    expect(payload).not.toMatch(/gr_lnk|grace|accept/);
    expect(Buffer.from(JSON.parse(payload).sealed, "base64").toString("latin1")).not.toMatch(/gr_lnk|grace|accept/);
  });

  it("leaves no job when the invitation is refused", async () => {
    const before = await waitingMails();
    expect((await invite("grace@example.com")).status).toBe(409);
    expect(await waitingMails()).toEqual(before);
  });

  it("arrives encrypted, and its link makes a member with an address that is verified", async () => {
    const name = "Acme\u2028Bcc: eve@example.com \u202e";
    await call("OrganizationService/UpdateOrganization", { org_id: world.orgId, name });
    await invite("linus@example.com");
    worker = await startWorkerProcess({
      ...mail,
      DATABASE_WORKER_URL: plane.urls.workerUrl,
      NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    });
    expect((await sink.next("grace@example.com")).text).toMatch(link);
    const received = await sink.next("linus@example.com");
    expect(received).toMatchObject({ isEncrypted: true, from: "no-reply@guard.example.com" });
    expect(received.headers.has("bcc")).toBe(false);
    expect(received.headers.get("subject")).toBe("Invitation to Acme Bcc: eve@example.com on Policy Guard");
    expect(received.text.split("\n").filter((line) => line.startsWith("Bcc"))).toEqual([]);
    const token = link.exec(received.text)?.[1] ?? "";
    const begins = { token, name: "Linus", password: "seven quiet otters" };
    const { status, body } = await call("AccountService/AcceptInvitation", begins, "");
    expect(status, JSON.stringify(body)).toBe(200);
    const { account } = body as { account: { id: string } };
    const [row] = await plane.database.readAccount(account.id, (tx) =>
      tx.sql<{ verified: boolean }>("select email_verified_at is not null as verified from account"),
    );
    expect(row).toEqual({ verified: true });
  });

  it("verifies the address of somebody who has an account already", async () => {
    const ada = await createPerson(plane.database);
    const verified = () =>
      plane.database.readAccount(ada.account_id, (tx) =>
        tx.sql<{ verified: boolean }>("select email_verified_at is not null as verified from account"),
      );
    await plane.database.accountTransaction(ada.account_id, (tx) =>
      tx.sql("update account set email_verified_at = null"),
    );
    await invite(ada.email);
    const token = link.exec((await sink.next(ada.email)).text)?.[1] ?? "";
    expect(await verified()).toEqual([{ verified: false }]);
    expect((await call("AccountService/AcceptInvitation", { token }, ada.access_token)).status).toBe(200);
    expect(await verified()).toEqual([{ verified: true }]);
  });

  it("is not mailed to one address more than twice a minute, however often it is withdrawn", async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) {
      const { status, body } = await invite("anna@example.com");
      statuses.push(status);
      const id = (body as { member?: { id: string } }).member?.id;
      if (id !== undefined) await call("TeamService/RemoveMember", { org_id: world.orgId, member_id: id });
    }
    expect(statuses).toEqual([201, 201, 409]);
  });

  it("is followed by a mail to the person who asked to join", async () => {
    const eve = await createPerson(plane.database);
    await call("TeamService/AskToJoin", { org_id: world.orgId }, eve.access_token);
    const { body } = await call("TeamService/ListJoinRequests", { org_id: world.orgId });
    const request_id = (body as { join_requests: { id: string }[] }).join_requests[0]?.id ?? "";
    await call("TeamService/ApproveJoinRequest", { org_id: world.orgId, request_id });
    expect((await sink.next(eve.email)).text).toContain("You are its viewer now.");
  });

  it("tells a member whose second factor an admin removed", async () => {
    const ada = await createPerson(plane.database, { orgId: world.orgId, role: "viewer" });
    await enrolFactor(ada.access_token);
    const request = { org_id: world.orgId, member_id: ada.member_id };
    expect((await call("TeamService/DisableMemberMfa", request)).status).toBe(204);
    const subjects = [await sink.next(ada.email), await sink.next(ada.email)].map(({ headers }) =>
      headers.get("subject"),
    );
    expect(subjects.sort()).toEqual(["A second factor was added to your account", "Your second factor was removed"]);
  });

  it("tells members without a second factor that one is demanded, once", async () => {
    const [admin, without, gone] = await Promise.all(
      (["admin", "viewer", "editor"] as const).map((role) =>
        createPerson(plane.database, { orgId: world.orgId, role }),
      ),
    );
    if (admin === undefined || without === undefined || gone === undefined) throw new Error("nobody was made");
    await enrolFactor(admin.access_token);
    // As a directory deactivates somebody.
    await plane.database.systemTransaction(world.orgId, (tx) =>
      tx.sql("update member set state = 'deactivated' where id = ?", [gone.member_id]),
    );
    const demand = (second_factor_required: boolean, token = admin.access_token) =>
      call("OrganizationService/UpdateOrganization", { org_id: world.orgId, second_factor_required }, token);
    expect((await demand(true, without.access_token)).status).toBe(403);
    for (const each of [true, true]) expect((await demand(each)).status).toBe(200);
    const mail = await sink.next(without.email);
    expect(mail.headers.get("subject")).toMatch(/ demands a second factor$/);
    expect(mail.text).toContain("https://guard.example.com/policy/account");
    // One more mail to each shows that none had come in between.
    expect((await demand(false)).status).toBe(200);
    await enrolFactor(without.access_token);
    expect((await sink.next(without.email)).headers.get("subject")).toBe("A second factor was added to your account");
    await enrolFactor(gone.access_token);
    expect((await sink.next(gone.email)).headers.get("subject")).toBe("A second factor was added to your account");
    expect((await sink.next(admin.email)).headers.get("subject")).toBe("A second factor was added to your account");
  });

  it("is what registering and a forgotten password use too", async () => {
    const password = "seven quiet otters";
    const register = { email: "ken@example.com", name: "Ken", password };
    expect((await call("AccountService/Register", register, "")).body).toMatchObject({ status: "confirmation_sent" });
    const confirm = await sink.next("ken@example.com");
    const token = /register\/confirm#token=(gr_lnk_\w+)/.exec(confirm.text)?.[1] ?? "";
    expect((await call("AccountService/ConfirmEmail", { token }, "")).status).toBe(200);
    await call("AccountService/RequestPasswordReset", { email: "ken@example.com" }, "");
    expect((await sink.next("ken@example.com")).text).toMatch(/password-reset\/confirm#token=gr_lnk_/);
  });
});
