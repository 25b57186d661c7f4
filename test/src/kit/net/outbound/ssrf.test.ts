// Every address that must not be reached, by every way in which a URL can name it: when it is stored, when it is
// dialled, when its name has changed its mind in between, and when another target redirects there. And every one that
// may be reached likewise. The count is told, since it is the point; what is dialled is seen at the sockets themselves.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { reportSample } from "../../../../../scripts/assurance/sample.ts";
import { Fault } from "../../../../../src/kit/fault/fault.ts";
import { createOutbound, type Outbound } from "../../../../../src/kit/net/outbound/client.ts";
import { OutboundError } from "../../../../../src/kit/net/outbound/error.ts";
import { createNetworkGuard, type NetworkGuard } from "../../../../../src/kit/net/outbound/guard.ts";
import { type DnsServer, startDnsServer } from "../../../../harness/net/dns-server.ts";
import { publicAddresses, refusedAddresses, refusedSpellings } from "./addresses.ts";

let dns: DnsServer;
let guard: NetworkGuard;
let outbound: Outbound;
/** A target on this machine, and a client that may reach it. */
let server: Server;
let port: number;
let inside: Outbound;
const arrived: string[] = [];
/** Addresses that somebody tried to connect to. */
const dialled: string[] = [];
const watch = (message: unknown) => {
  const { socket } = message as { socket: Socket }; // as documented for this channel
  socket.on("connectionAttempt", (address: string) => void dialled.push(address));
};

beforeAll(async () => {
  subscribe("net.client.socket", watch);
  dns = await startDnsServer();
  guard = createNetworkGuard({ allowNetworks: [], dnsServers: [dns.address] });
  outbound = createOutbound({ guard });
  const allowNetworks = ["127.0.0.1/32", "127.0.0.2/32"];
  inside = createOutbound({ guard: createNetworkGuard({ allowNetworks, dnsServers: [dns.address] }) });
  server = createServer((request, response) => {
    arrived.push(request.url ?? "");
    const [, status = "", to = ""] = /^\/(3\d\d)\/(.*)$/.exec(request.url ?? "") ?? [];
    if (status === "") response.writeHead(204).end();
    else response.writeHead(Number(status), { location: decodeURIComponent(to) }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port; // listens on TCP
});

beforeEach(() => {
  arrived.length = 0;
  dialled.length = 0;
});

afterAll(async () => {
  await Promise.all([outbound.close(), inside.close(), dns.close()]);
  await new Promise((resolve) => server.close(resolve));
  unsubscribe("net.client.socket", watch);
});

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

/** The addresses that the guard lets through. */
async function checked(url: string): Promise<string> {
  try {
    return (await guard.check(url)).addresses.join(" ");
  } catch (error) {
    if (error instanceof Fault) return "refused";
    throw error;
  }
}

/** The status of the answer. */
async function sent(client: Outbound, url: string): Promise<string> {
  try {
    const { statusCode } = await client.post({ owner: "webhook", url, headers: {}, body: Buffer.from("{}") });
    return String(statusCode);
  } catch (error) {
    if (error instanceof OutboundError) return error.failure === "address_refused" ? "refused" : error.failure;
    throw error;
  }
}

/** Counts tries, and remembers those that came out otherwise than they should. */
class Tally {
  readonly wrong: string[] = [];
  tried = 0;

  count(what: string, got: string, wanted: string): void {
    this.tried += 1;
    if (got !== wanted) this.wrong.push(`${what}: ${got}`);
  }

  /** Tells the count, and fails when something was wrong or too little was tried. */
  close(name: string, least: number): void {
    const { tried, wrong } = this;
    console.info(`${name}: ${tried - wrong.length} of ${tried}`);
    reportSample({ n: tried, failures: wrong.length, figures: { [name]: tried - wrong.length } });
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(least);
  }
}

// A zone or a spelling that is no address cannot be in a DNS answer.
const dialable = refusedAddresses
  .map(([address]) => address)
  .filter((text) => /^[\d.]{7,}$|^[\da-f:.]*:[\da-f:.]*$/.test(text));
const refusable = dialable.filter((text) => text !== "010.0.0.1");

describe("an address that is not public", () => {
  it("is refused in every spelling when a URL is stored", async () => {
    const tally = new Tally();
    for (const [way, of] of Object.entries(ways)) {
      for (const [index, address] of refusable.entries()) {
        tally.count(`${address} ${way}`, await checked(of(address, index).url), "refused");
      }
    }
    tally.close("refused_when_stored", 400);
  });

  it("is refused in every spelling when it would be dialled, and not dialled", async () => {
    const tally = new Tally();
    for (const [way, of] of Object.entries(ways)) {
      for (const [index, address] of refusable.entries()) {
        tally.count(`${address} ${way}`, await sent(outbound, of(address, index).url), "refused");
      }
    }
    expect(dialled).toEqual([]);
    tally.close("refused_when_dialled", 400);
  });

  it("is refused in every spelling, and not dialled", async () => {
    const tally = new Tally();
    for (const url of refusedSpellings) {
      tally.count(`${url} stored`, await checked(url), "refused");
      // Only these are ever dialled.
      if (URL.parse(url)?.protocol.startsWith("http"))
        tally.count(`${url} dialled`, await sent(outbound, url), "refused");
    }
    expect(dialled).toEqual([]);
    tally.close("spellings_refused", 80);
  });

  it("is refused when its name resolved to a public one while it was stored, and not dialled", async () => {
    const tally = new Tally();
    for (const [index, address] of refusable.entries()) {
      const { url } = named(`rebound-${index}`, good);
      expect(await checked(url)).toBe(good.join(" "));
      named(`rebound-${index}`, [address]);
      tally.count(`${address} after a change of mind`, await sent(outbound, url), "refused");
    }
    expect(dialled).toEqual([]);
    tally.close("refused_when_rebound", 60);
  });

  it("is not dialled when a target redirects there", async () => {
    const tally = new Tally();
    for (const status of [301, 302, 303, 307, 308]) {
      for (const address of refusable) {
        const to = encodeURIComponent(`http://${literal(address)}:${port}/stolen`);
        const got = await sent(inside, `http://127.0.0.1:${port}/${status}/${to}`);
        tally.count(`${status} to ${address}`, got, String(status));
      }
    }
    expect(arrived.filter((path) => path === "/stolen")).toEqual([]);
    expect(new Set(dialled)).toEqual(new Set(["127.0.0.1"]));
    tally.close("redirects_not_followed", 300);
  });
});

describe("an address that may be reached", () => {
  it("is allowed in every spelling", async () => {
    const tally = new Tally();
    for (const [way, of] of Object.entries(ways)) {
      for (const [index, address] of publicAddresses.entries()) {
        const { url, addresses } = of(address, 1_000 + index);
        const got = (await checked(url)).split(" ").sort().join(" ");
        tally.count(`${address} ${way}`, got, [...addresses].sort().join(" "));
      }
    }
    tally.close("let_through", 140);
  });

  it("gets its delivery in every spelling", async () => {
    // Nothing listens at 127.0.0.2: of two addresses the other one is tried.
    const names = {
      "a.test": ["127.0.0.1"],
      "two.test": ["127.0.0.2", "127.0.0.1"],
      "alias.test": { alias: "alias2.test" },
      "alias2.test": { alias: "a.test" },
      "xn--lok-sed.test": ["127.0.0.1"],
      "inside.internal": ["127.0.0.1"],
    } as const;
    for (const [name, answer] of Object.entries(names)) dns.names.set(name, answer);
    const hosts = [
      "127.0.0.1",
      "2130706433",
      "0x7f.1",
      "localhost",
      "sink.localhost",
      "A.test",
      "a.test.",
      "lоok.test",
    ];
    const tally = new Tally();
    for (const host of [...hosts, ...Object.keys(names)]) {
      const path = `/${tally.tried}`;
      const got = await sent(inside, `http://${host}:${port}${path}`);
      tally.count(host, `${got} ${arrived.filter((one) => one === path).length}`, "204 1");
    }
    expect(new Set(dialled)).toEqual(new Set(["127.0.0.1", "127.0.0.2"]));
    tally.close("delivered", 14);
  });
});
