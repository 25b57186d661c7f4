import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWebhookWorld, type WebhookWorld } from "../harness/net/webhook-world.ts";
import { newFolder, policyGuard, removeFolders, startPolicyGuard } from "./run.ts";

afterAll(removeFolders);

let world: WebhookWorld;

beforeAll(async () => {
  world = await openWebhookWorld();
});

afterAll(() => world.close());

/** Starts the command and resolves to its address, its further lines and its exit code. */
async function listen(count: number, env: Record<string, string> = {}, more: readonly string[] = []) {
  const child = startPolicyGuard(["listen", "--port", "0", "--json", "--count", String(count), ...more], { env });
  child.stdin.end();
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value = "{}" } = await lines.next();
  const { listening }: { listening: string } = JSON.parse(value);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const next = async () => JSON.parse((await lines.next()).value ?? "null");
  return { url: `${listening}hook`, next, ended };
}

describe("policy-guard listen", () => {
  it("receives, verifies and prints a delivery, and exits after the requested number", async () => {
    const caller = await world.newCaller();
    const target = await world.subscribe(caller, "http://127.0.0.1:9/", { generateSecret: true });
    const listener = await listen(1, { POLICY_GUARD_WEBHOOK_SECRET: target.secret ?? "" });
    await world.webhooks.update(caller, target.row.id, { url: listener.url });
    const id = await world.publish(caller, { name: "heard" });
    world.dispatcher.wake({ org_id: caller.orgId, webhook_id: target.row.id });
    await world.dispatcher.idle();
    expect(await listener.next()).toMatchObject({
      event: { id, event: "policy.updated", data: { name: "heard" } },
      attempt: 1,
      verdict: "verified",
    });
    expect(await listener.ended).toBe(0);
    const [[delivery]] = await world.deliveries.list(caller, target.row.id, { limit: 1, offset: 0 });
    expect(delivery).toMatchObject({ state: "delivered", statusCode: 204 });
  });

  it("answers 401 to a delivery that is unsigned or signed with another secret, and exits with 1", async () => {
    const folder = newFolder({ secret: "whsec_c29tZXRoaW5nIGVsc2U=\n" });
    const listener = await listen(2, {}, ["--secret-file", `${folder}/secret`]);
    const caller = await world.newCaller();
    const { row } = await world.subscribe(caller, listener.url, { generateSecret: true });
    expect(await world.webhooks.test(caller, row.id)).toMatchObject({ statusCode: 401, delivered: false });
    expect(await listener.next()).toMatchObject({
      event: { event: "webhook.test" },
      verdict: "no signature of the delivery is by this secret",
    });
    expect((await fetch(listener.url, { method: "POST", body: "\u001b[31mno event" })).status).toBe(401);
    expect(await listener.next()).toMatchObject({
      event: null,
      verdict: "the delivery has no header x-webhook-signature",
    });
    expect(await listener.ended).toBe(1);
  });

  it("accepts everything without a secret, and says that it verifies nothing", async () => {
    const listener = await listen(1);
    expect((await fetch(listener.url, { method: "POST", body: "{}" })).status).toBe(204);
    expect(await listener.next()).toEqual({ event: null, attempt: 0, verdict: "unsigned" });
    expect(await listener.ended).toBe(0);
  });

  it.each([
    [["--port", "70000"], "--port takes a port"],
    [["--count", "0"], "--count takes a whole number"],
    [["--secret-file", "missing"], "missing"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await policyGuard(["listen", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
