// Every address that must not be reached, by every way in which a URL can name it, and every public one likewise. The count
// is told, since it is the point.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Fault } from "../../../../src/kit/error.ts";
import { createNetworkGuard, type NetworkGuard } from "../../../../src/kit/outbound/guard.ts";
import { type DnsServer, startDnsServer } from "../../../harness/dns-server.ts";
import { publicAddresses, refusedAddresses } from "./addresses.ts";

let dns: DnsServer;
let guard: NetworkGuard;

beforeAll(async () => {
  dns = await startDnsServer();
  guard = createNetworkGuard({ allowNetworks: [], dnsServers: [dns.address] });
});

afterAll(() => dns.close());

type Way = (address: string, index: number) => { readonly url: string; readonly addresses: readonly string[] };

const good = ["93.184.216.34"];

/** The ways, each with the answer that the name server gives. */
const ways: Readonly<Record<string, Way>> = {
  "as a literal": (address) => ({ url: `https://${literal(address)}/hook`, addresses: [address] }),
  "as a literal with a port": (address) => ({ url: `https://${literal(address)}:8443/hook`, addresses: [address] }),
  "by a name": (address, index) => named(`plain-${index}`, [address]),
  "by a name with a trailing dot": (address, index) => named(`dotted-${index}`, [address], "."),
  "by a name with a good address before it": (address, index) => named(`mixed-${index}`, [...good, address]),
  "by a name with a good address behind it": (address, index) => named(`mixed-behind-${index}`, [address, ...good]),
  "by an alias of an alias": (address, index) => {
    const first = `alias-${index}.test`;
    dns.names.set(first, { alias: `alias2-${index}.test` });
    dns.names.set(`alias2-${index}.test`, { alias: `aliased-${index}.test` });
    return { ...named(`aliased-${index}`, [address]), url: `https://${first}/hook` };
  },
};

function literal(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function named(label: string, addresses: readonly string[], suffix = "") {
  dns.names.set(`${label}.test`, [...addresses]);
  return { url: `https://${label}.test${suffix}/hook`, addresses };
}

async function outcome(url: string): Promise<string> {
  try {
    return (await guard.check(url)).addresses.join(" ");
  } catch (error) {
    if (error instanceof Fault) return "refused";
    throw error;
  }
}

// A zone or a spelling that is no address cannot be in a DNS answer.
const dialable = refusedAddresses
  .map(([address]) => address)
  .filter((text) => /^[\d.]{7,}$|^[\da-f:.]*:[\da-f:.]*$/.test(text));
const refusable = dialable.filter((text) => text !== "010.0.0.1");

describe("the network guard", () => {
  it("refuses every address that is not public, by whatever way it is named", async () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const [way, of] of Object.entries(ways)) {
      for (const [index, address] of refusable.entries()) {
        tried += 1;
        if ((await outcome(of(address, index).url)) !== "refused") wrong.push(`${address} ${way}`);
      }
    }
    console.info(`addresses refused: ${tried - wrong.length} of ${tried}`);
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(400);
  });

  it("lets every public address through, by whatever way it is named", async () => {
    const wrong: string[] = [];
    let tried = 0;
    for (const [way, of] of Object.entries(ways)) {
      for (const [index, address] of publicAddresses.entries()) {
        tried += 1;
        const { url, addresses } = of(address, 1_000 + index);
        const got = await outcome(url);
        if (got.split(" ").sort().join(" ") !== [...addresses].sort().join(" "))
          wrong.push(`${address} ${way}: ${got}`);
      }
    }
    console.info(`legitimate targets let through: ${tried - wrong.length} of ${tried}`);
    expect(wrong).toEqual([]);
  });
});
