import { describe, expect, it } from "vitest";
import { createResolve } from "../../../../../src/kit/net/outbound/resolve.ts";

/** A system whose look-ups of silent names end when it is told so. */
function system() {
  const waiting = new Map<string, (addresses: string[]) => void>();
  const asked: string[] = [];
  const lookup = (name: string) => {
    asked.push(name);
    if (!name.startsWith("silent")) return Promise.resolve(["192.0.2.1"]);
    return new Promise<string[]>((resolve) => waiting.set(name, resolve));
  };
  return { asked, waiting, resolve: createResolve({ dnsServers: [], timeoutMs: 20, lookup }) };
}

const names = Array.from({ length: 100 }, (_, index) => `silent-${index}.example`);

describe("names that the system looks up", () => {
  it("are looked up once at a time", async () => {
    const { asked, waiting, resolve } = system();
    const all = Promise.all(Array.from({ length: 5 }, () => resolve("silent.example")));
    waiting.get("silent.example")?.(["192.0.2.7"]);
    expect(await all).toEqual(Array.from({ length: 5 }, () => ["192.0.2.7"]));
    expect(asked).toEqual(["silent.example"]);
  });

  it("use at most half of the threads once their servers did not answer, while other names are looked up", async () => {
    const { asked, waiting, resolve } = system();
    const failures = async () => Promise.all(names.map((name) => resolve(name).then(String, ({ message }) => message)));
    expect(new Set(await failures())).toEqual(new Set(["no answer within 20 ms"]));
    for (const end of waiting.values()) end([]);
    waiting.clear();
    await new Promise(setImmediate);
    const before = asked.length;
    const told = await failures();
    expect(asked.length - before).toBe(32);
    expect(told.filter((message) => message.startsWith("its name was not looked up"))).toHaveLength(68);
    expect(await resolve("well.example")).toEqual(["192.0.2.1"]);
    for (const end of waiting.values()) end(["192.0.2.9"]);
    await new Promise(setImmediate);
    // Whoever is there again is heard again.
    const back = resolve(names[99] ?? "");
    waiting.get(names[99] ?? "")?.(["192.0.2.9"]);
    expect(await back).toEqual(["192.0.2.9"]);
  });
});
