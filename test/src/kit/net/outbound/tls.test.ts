import { createServer as createHttpsServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../../../harness/net/certificate.ts";
import { failureOf, listening, request, serve, useLocalNames } from "./local.ts";

const { outboundOf } = useLocalNames();

const trusted = selfSigned(["hook.test", "127.0.0.1"]);
const past = selfSigned(["hook.test"], [-2, -1]);
const future = selfSigned(["hook.test"], [1, 2]);
const usual = getCACertificates("default");

beforeAll(() => {
  setDefaultCACertificates([...usual, ...[trusted, past, future].map(({ certificate }) => certificate)]);
});
afterAll(() => setDefaultCACertificates(usual));

describe("TLS", () => {
  async function serveTls(options: object): Promise<{ port: number; names: unknown[] }> {
    const names: unknown[] = [];
    const server = createHttpsServer(options, (message, response) => {
      names.push("servername" in message.socket ? message.socket.servername : undefined, message.headers.host);
      response.end("secure");
    });
    server.on("tlsClientError", () => {});
    return { port: await listening(server), names };
  }
  const own = { cert: trusted.certificate, key: trusted.key };

  it("uses the name in the URL, though an address is dialled", async () => {
    const { port, names } = await serveTls(own);
    expect(await outboundOf().post(request(`https://hook.test:${port}/`))).toMatchObject({ bodyText: "secure" });
    expect(names).toEqual(["hook.test", `hook.test:${port}`]);
  });

  it("works for an address that the certificate is for, without a server name", async () => {
    const { port, names } = await serveTls(own);
    expect(await outboundOf().post(request(`https://127.0.0.1:${port}/`))).toMatchObject({ bodyText: "secure" });
    expect(names[0]).toBe(false);
  });

  it("is refused when the certificate is for another name", async () => {
    const { port } = await serveTls(own);
    const failed = outboundOf().post(request(`https://other.test:${port}/`));
    await expect(failed).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await failureOf(failed)).toBe("tls_failed");
  });

  it("is refused when the certificate is not trusted, even if the environment turns checks off", async () => {
    const stranger = selfSigned(["hook.test"]);
    const { port } = await serveTls({ cert: stranger.certificate, key: stranger.key });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    onTestFinished(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    });
    expect(await failureOf(outboundOf().post(request(`https://hook.test:${port}/`)))).toBe("tls_failed");
  });

  it.each([
    ["has expired", past, "CERT_HAS_EXPIRED"],
    ["is not good yet", future, "CERT_NOT_YET_VALID"],
  ])("is refused when the certificate %s", async (_, { certificate, key }, code) => {
    const { port } = await serveTls({ cert: certificate, key });
    const failed = outboundOf().post(request(`https://hook.test:${port}/`));
    await expect(failed).rejects.toThrow(code);
    expect(await failureOf(failed)).toBe("tls_failed");
  });

  it("is refused below version 1.2", async () => {
    const { port } = await serveTls({
      ...own,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    expect(await failureOf(outboundOf().post(request(`https://hook.test:${port}/`)))).toBe("tls_failed");
  });

  it("is not spoken to a server that does not speak it", async () => {
    const port = await serve((_, response) => void response.end());
    expect(await failureOf(outboundOf().post(request(`https://hook.test:${port}/`)))).toBe("tls_failed");
  });
});
