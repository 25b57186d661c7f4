import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { AccountService } from "../../../../../gen/policyguard/control/v1/account_service_pb.ts";
import { as, failureOf, serve } from "./call.ts";

const login = { email: "ada@example.com", password: "x" };

function start(waitSeconds: number | undefined, address: string) {
  const peers: string[] = [];
  const fixture = serve(
    (router) => {
      router.service(AccountService, { login: () => ({}), getMe: () => ({}) });
    },
    {
      connection: { address },
      countRequest: async (peer) => {
        peers.push(peer);
        return waitSeconds;
      },
    },
  );
  return { accounts: createClient(AccountService, fixture.transport), peers, ...fixture };
}

describe("the limit of authentication requests by address", () => {
  test("counts an address, and an IPv6 address by its network", async () => {
    const four = start(undefined, "203.0.113.9");
    await four.accounts.login(login);
    expect(four.peers).toEqual(["203.0.113.9"]);
    const six = start(undefined, "2001:db8:1:2:3:4:5:6");
    await six.accounts.login(login);
    expect(six.peers).toEqual(["2001:db8:1:2::/64"]);
  });

  test("refuses with the time to wait, before any other check", async () => {
    const { accounts, lookUps } = start(17, "203.0.113.9");
    const failure = await failureOf(accounts.login({}, as("nobody's token")));
    expect(failure).toMatchObject({ reason: "RATE_LIMITED", code: "ResourceExhausted", extra: { retry_after: 17 } });
    const change = accounts.changePassword({}, as("owner"));
    expect((await failureOf(change)).reason).toBe("RATE_LIMITED");
    expect(lookUps).toEqual([]);
  });

  test("does not limit other methods", async () => {
    const { accounts, peers } = start(17, "203.0.113.9");
    expect((await failureOf(accounts.getMe({}))).reason).toBe("UNAUTHENTICATED");
    expect(peers).toEqual([]);
  });

  test("a process that cannot count refuses", async () => {
    const { transport } = serve((router) => {
      router.service(AccountService, { login: () => ({}) });
    });
    expect((await failureOf(createClient(AccountService, transport).login(login))).reason).toBe("INTERNAL");
  });
});
