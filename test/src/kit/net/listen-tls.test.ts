import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../../../src/kit/net/limits.ts";
import { connectHttp2, connectRaw, isClosedWithin, requestHttp2, start, textOf } from "./listening.ts";
import { selfSigned } from "./self-signed.ts";

describe("with a certificate", () => {
  test("the port speaks both protocols by ALPN", async () => {
    const { port } = await start({ certificate: selfSigned() });
    expect(await requestHttp2(connectHttp2(port, "https"), { ":method": "POST" }, "b")).toBe("2.0 POST b");
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      https.get({ port, host: "127.0.0.1", rejectUnauthorized: false }, resolve).on("error", reject);
    });
    expect(await textOf(response)).toBe("1.1 GET ");
  });

  test.each([
    ["what is no certificate", () => ({ ...selfSigned(), cert: "nothing" })],
    ["the key of another", () => ({ ...selfSigned(), key: selfSigned().key })],
  ])("%s is refused with the names of both settings", async (_, certificate) => {
    await expect(start({ certificate: certificate() })).rejects.toThrow("TLS_CERTIFICATE_FILE and TLS_KEY_FILE");
  });

  test("a connection that does not finish its handshake is cut off", async () => {
    const listener = await start({ certificate: selfSigned() });
    const { port } = listener;
    const socket = await connectRaw(port);
    expect(await isClosedWithin(socket, 30_000)).toBe(true);
    await expect.poll(() => listener.connectionCount()).toBe(0);
  });

  test("closing drains and says GOAWAY as in plain text", async () => {
    const listener = await start({ certificate: selfSigned(), limits: defaultLimits });
    const { port } = listener;
    const session = connectHttp2(port, "https");
    await requestHttp2(session, { ":method": "GET" });
    await connectRaw(port);
    const goneAway = once(session, "goaway");
    expect(await listener.close({ graceMs: 3_000 })).toBe(0);
    await goneAway;
  });
});
