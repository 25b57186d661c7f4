import { describe, expect, it, onTestFinished } from "vitest";
import { createNetworkGuard } from "../../../../../src/kit/net/outbound/guard.ts";
import { bodyOf, failureOf, request, serve, useLocalNames } from "./local.ts";

const { outboundOf, dns } = useLocalNames();

describe("an outbound request", () => {
  it("arrives as it was sent, under the name in the URL, and brings back status, headers and body", async () => {
    const seen: unknown[] = [];
    const port = await serve(async (message, response) => {
      seen.push([
        message.method,
        message.url,
        message.headers.host,
        message.headers["content-type"],
        await bodyOf(message),
      ]);
      response.writeHead(202, { "Retry-After": "7" }).end("thanks");
    });
    const answer = await outboundOf().post(request(`http://hook.test:${port}/a?b=c#d`, { body: "Grüße 😀" }));
    expect(answer).toMatchObject({ statusCode: 202, bodyText: "thanks", isBodyCut: false });
    expect(answer.headers["retry-after"]).toBe("7");
    expect(answer.durationMs).toBeGreaterThan(0);
    expect(seen).toEqual([["POST", "/a?b=c", `hook.test:${port}`, "application/json", "Grüße 😀"]]);
  });

  it("does not reach this machine without an allowed network, by any name, and does with one", async () => {
    let reached = 0;
    const port = await serve((_, response) => {
      reached++;
      response.end();
    });
    const closed = outboundOf({ allow: [] });
    for (const host of [
      "127.0.0.1",
      "localhost",
      "hook.test",
      "2130706433",
      "0x7f.1",
      "[::ffff:127.0.0.1]",
      "127.0.0.1.",
    ]) {
      expect(await failureOf(closed.post(request(`https://${host}:${port}/`))), host).toBe("address_refused");
      expect(await failureOf(closed.post(request(`http://${host}:${port}/`))), host).toBe("address_refused");
    }
    expect(reached).toBe(0);
    await outboundOf().post(request(`http://localhost:${port}/`));
    expect(reached).toBe(1);
  });

  it("is refused at the connection when the name resolves differently since the check", async () => {
    let reached = 0;
    const port = await serve((_, response) => {
      reached++;
      response.end();
    });
    const guard = createNetworkGuard({ allowNetworks: [], dnsServers: [dns().address] });
    dns().names.set("rebind.test", ["93.184.216.34"]);
    const url = `https://rebind.test:${port}/`;
    await expect(guard.check(url)).resolves.toMatchObject({ addresses: ["93.184.216.34"] });
    dns().names.set("rebind.test", ["127.0.0.1"]);
    expect(await failureOf(outboundOf({ allow: [] }).post(request(url)))).toBe("address_refused");
    expect(reached).toBe(0);
  });

  it("goes to the address that was checked: one look-up of each family a connection, none of them after the check", async () => {
    const port = await serve((_, response) => void response.end());
    // Public when asked first (and so refused for http), private when asked again: whoever asks twice gets through.
    let turn = 0;
    dns().names.set("flip.test", () => (turn++ < 2 ? ["127.0.0.1"] : ["10.0.0.1"]));
    dns().asked.length = 0;
    await outboundOf().post(request(`http://flip.test:${port}/`));
    expect(dns().asked.filter((name) => name === "flip.test")).toHaveLength(2);
  });

  it.each([301, 302, 303, 307, 308])("does not follow a redirect (%i)", async (status) => {
    let visited = 0;
    const goal = await serve((_, response) => {
      visited++;
      response.end();
    });
    const port = await serve(
      (_, response) => void response.writeHead(status, { location: `http://127.0.0.1:${goal}/` }).end(),
    );
    expect(await outboundOf().post(request(`http://hook.test:${port}/`))).toMatchObject({ statusCode: status });
    expect(visited).toBe(0);
  });

  it("does not go through a proxy of the environment", async () => {
    const port = await serve((_, response) => void response.writeHead(204).end());
    const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    for (const name of names) process.env[name] = name.startsWith("NODE") ? "1" : "http://127.0.0.1:9/";
    onTestFinished(() => {
      for (const name of names) delete process.env[name];
    });
    expect(await outboundOf().post(request(`http://hook.test:${port}/`))).toMatchObject({ statusCode: 204 });
  });

  it("tries the next address when the first does not answer", async () => {
    const port = await serve((_, response) => void response.end());
    dns().names.set("two.test", ["127.0.0.2", "127.0.0.1"]);
    expect(await outboundOf().post(request(`http://two.test:${port}/`))).toMatchObject({ statusCode: 200 });
  });
});
