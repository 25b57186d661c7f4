import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Reason } from "../../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, reasonRule } from "../../../../../src/kit/fault/fault.ts";
import { createNetworkGuard } from "../../../../../src/kit/net/outbound/guard.ts";
import { type DnsAnswer, type DnsServer, startDnsServer } from "../../../../harness/net/dns-server.ts";
import { refusedSpellings } from "./addresses.ts";

let dns: DnsServer;
beforeAll(async () => {
  dns = await startDnsServer();
  const names: Record<string, DnsAnswer> = {
    "good.test": ["93.184.216.34"],
    "good6.test": ["2606:4700:4700::1111"],
    "both.test": ["93.184.216.34", "2606:4700:4700::1111"],
    "alias.test": { alias: "alias2.test" },
    "alias2.test": { alias: "good.test" },
    "trap.test": { alias: "trap2.test" },
    "trap2.test": { alias: "private.test" },
    "private.test": ["10.0.0.1"],
    "loop.test": ["127.0.0.1"],
    "loop6.test": ["::1"],
    "mixed.test": ["93.184.216.34", "10.0.0.1"],
    "mixed6.test": ["93.184.216.34", "fd00::1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "nat64.test": ["64:ff9b::7f00:1"],
    "empty.test": [],
    "broken.test": "servfail",
    "printer.local": ["93.184.216.34"],
    "db.internal": ["93.184.216.34"],
    "wiki.internal": ["127.0.0.9"],
  };
  for (const [name, answer] of Object.entries(names)) dns.names.set(name, answer);
  // Half an answer is enough: the other family's failure hides nothing that we would dial.
  let turn = 0;
  dns.names.set("half.test", () => (turn++ % 2 === 0 ? ["93.184.216.34"] : "servfail"));
});
afterAll(() => dns.close());

function guardOf(...allowNetworks: string[]) {
  return createNetworkGuard({ allowNetworks, dnsServers: [dns.address] });
}

async function outcome(url: string, ...allowNetworks: string[]): Promise<string> {
  try {
    const { addresses } = await guardOf(...allowNetworks).check(url);
    return addresses.join(" ");
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return reasonRule(error.reason).error.toUpperCase();
  }
}

describe("the network guard without allowed networks", () => {
  it.each(refusedSpellings)("refuses %s", async (url) => {
    expect(await outcome(url)).toBe("ADDRESS_REFUSED");
  });

  it.each([
    "private.test",
    "loop.test",
    "loop6.test",
    "mixed.test",
    "mixed6.test",
    "mapped.test",
    "nat64.test",
    "trap.test",
    "empty.test",
    "broken.test",
    "unknown.test",
    "printer.local",
    "db.internal",
    "DB.Internal.",
  ])("refuses the name %s", async (name) => {
    expect(await outcome(`https://${name}/hook`)).toBe("ADDRESS_REFUSED");
  });

  it.each([
    ["https://good.test/hook", "93.184.216.34"],
    ["https://good.test./hook", "93.184.216.34"],
    ["https://GOOD.test:8443/hook?a=b#c", "93.184.216.34"],
    ["https://good6.test/", "2606:4700:4700::1111"],
    ["https://both.test/", "93.184.216.34 2606:4700:4700::1111"],
    ["https://alias.test/", "93.184.216.34"],
    ["https://half.test/", "93.184.216.34"],
    ["https://93.184.216.34/", "93.184.216.34"],
    ["https://[2606:4700:4700::1111]:1234/", "2606:4700:4700::1111"],
  ])("lets %s through to %s", async (url, addresses) => {
    expect(await outcome(url)).toBe(addresses);
  });

  it.each([
    ["http to a public target", "http://good.test/hook"],
    ["http to a public address", "http://93.184.216.34/"],
    ["credentials in the URL", "https://user:pass@good.test/"],
    ["a user name in the URL", "https://user@good.test/"],
    ["another scheme", "ftp://good.test/"],
    ["a file", "file:///etc/passwd"],
    ["data", "data:text/plain,x"],
    ["a script", "javascript:alert(1)"],
    ["no scheme", "good.test/hook"],
    ["no host", "https://"],
    ["a path", "/hook"],
    ["nothing", ""],
    ["a port out of range", "https://good.test:70000/"],
    ["an address that is none", "https://256.1.1.1/"],
    ["too long a URL", `https://good.test/${"a".repeat(2032)}`],
  ])("calls %s invalid", async (_, url) => {
    expect(await outcome(url)).toBe("VALIDATION_FAILED");
  });

  it("takes a URL of exactly 2,048 characters", async () => {
    expect(await outcome(`https://good.test/${"a".repeat(2048 - 18)}`)).toBe("93.184.216.34");
  });

  it("names the field, and does not say what a name stands for inside the network", async () => {
    await expect(guardOf().check("http://good.test/", { field: "target.url" })).rejects.toMatchObject({
      extra: { fields: [{ field: "target.url", message: expect.stringContaining("https://") }] },
    });
    await expect(guardOf().check("https://private.test/")).rejects.toThrow(
      "private.test cannot be reached from here: its name stands for an address that is not public (private)",
    );
    await expect(guardOf().check("https://private.test/")).rejects.not.toThrow("10.0.0.1");
  });

  it("gives up on a name server that does not answer after three seconds", async () => {
    dns.names.set("silent.test", "silence");
    const startedAtMs = performance.now();
    expect(await outcome("https://silent.test/")).toBe("ADDRESS_REFUSED");
    expect(performance.now() - startedAtMs).toBeLessThan(15_000);
  });

  it("never looks up localhost", async () => {
    dns.names.set("localhost", ["93.184.216.34"]);
    expect(await outcome("https://localhost/")).toBe("ADDRESS_REFUSED");
    expect(dns.asked).not.toContain("localhost");
  });
});

describe("the network guard with allowed networks", () => {
  it.each([
    ["http://127.0.0.1:9000/hook", "127.0.0.1"],
    ["https://127.0.0.1/hook", "127.0.0.1"],
    ["http://loop.test:9000/", "127.0.0.1"],
    ["http://localhost:9000/", "127.0.0.1"],
    ["http://sink.localhost/", "127.0.0.1"],
    ["http://wiki.internal/", "127.0.0.9"],
    ["https://good.test/", "93.184.216.34"],
  ])("lets %s through", async (url, addresses) => {
    expect(await outcome(url, "127.0.0.0/8")).toBe(addresses);
  });

  it.each([
    ["http://good.test/", "VALIDATION_FAILED"],
    ["http://user@127.0.0.1/", "VALIDATION_FAILED"],
    ["http://10.0.0.1/", "ADDRESS_REFUSED"],
    ["https://private.test/", "ADDRESS_REFUSED"],
    ["http://[::1]/", "ADDRESS_REFUSED"],
    ["http://[::ffff:127.0.0.1]/", "ADDRESS_REFUSED"],
    ["https://db.internal/", "ADDRESS_REFUSED"],
  ])("still refuses %s as %s", async (url, reason) => {
    expect(await outcome(url, "127.0.0.0/8")).toBe(reason);
  });

  it("takes http only when every address of a name is allowed", async () => {
    dns.names.set("split.test", ["127.0.0.1", "93.184.216.34"]);
    expect(await outcome("http://split.test/", "127.0.0.0/8")).toBe("VALIDATION_FAILED");
    expect(await outcome("https://split.test/", "127.0.0.0/8")).toBe("127.0.0.1 93.184.216.34");
  });

  it("reaches the other address of localhost when only that is allowed", async () => {
    expect(await outcome("http://localhost/", "::1/128")).toBe("::1");
    expect(await outcome("http://localhost/", "::1/128", "127.0.0.0/8")).toBe("127.0.0.1 ::1");
  });

  it("is not made from a network that cannot be read", () => {
    expect(() => guardOf("127.0.0.1")).toThrow("CIDR notation");
  });

  it("asks the system for names when no servers are given", async () => {
    const guard = createNetworkGuard({ allowNetworks: ["127.0.0.0/8"], dnsServers: [] });
    await expect(guard.check("https://name-that-does-not-exist.invalid/")).rejects.toMatchObject({
      reason: Reason.ADDRESS_REFUSED,
    });
  });
});
