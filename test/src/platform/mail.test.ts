import { afterEach, describe, expect, it } from "vitest";
import { createMailTransport, MailRefused, readMailSettings } from "../../../src/platform/mail.ts";
import { selfSigned } from "../../harness/net/certificate.ts";
import { type MailSink, type MailSinkOptions, startMailSink } from "../../harness/net/mail-sink.ts";

const mailFrom = "Policy Guard <no-reply@guard.example.com>";
const mail = { id: "m-1", to: "ada@example.com", subject: "Hello", text: "One line.\n" };
let sink: MailSink | undefined;

afterEach(() => sink?.close());

async function transportTo(options: MailSinkOptions, url: (port: number) => string) {
  sink = await startMailSink(options);
  const settings = readMailSettings({ smtpUrl: url(sink.port), mailFrom });
  if (settings === undefined) throw new Error("mail is configured");
  return createMailTransport(settings);
}

const plain = (port: number) => `smtp://127.0.0.1:${port}?tls=off`;

describe("the settings of mail", () => {
  it("are absent without SMTP_URL", () => {
    expect(readMailSettings({ smtpUrl: undefined, mailFrom })).toBeUndefined();
  });

  it.each([
    ["smtp://mail.example.com", { host: "mail.example.com", port: 587, encryption: "starttls", login: undefined }],
    ["smtps://mail.example.com", { host: "mail.example.com", port: 465, encryption: "tls" }],
    ["smtp://mail.example.com:25?tls=off", { port: 25, encryption: "none" }],
    ["smtp://me%40x.com:p%3A%2F@[::1]:2525", { host: "::1", port: 2525, login: { user: "me@x.com", pass: "p:/" } }],
  ])("%s is read", (smtpUrl, wanted) => {
    expect(readMailSettings({ smtpUrl, mailFrom })).toMatchObject(wanted);
  });

  it.each([
    "smtp://mail.example.com?tls=on",
    "smtps://mail.example.com?tls=off",
    "smtp://mail.example.com?requireTLS=false",
    "smtp://",
  ])("%s is refused in one line that shows no password", (smtpUrl) => {
    expect(() => readMailSettings({ smtpUrl, mailFrom })).toThrow(/^SMTP_URL: [^\n]*$/);
  });

  it.each([
    [undefined],
    ["nobody"],
    ["a@example.com, b@example.com"],
    ["Guard <a@example.com"],
    ["Guard <a@example.com>\r\nBcc: b@example.com"],
    ['"Guard" <a@example.com>'],
  ])("MAIL_FROM %j is refused", (text) => {
    expect(() => readMailSettings({ smtpUrl: "smtps://mail.example.com", mailFrom: text })).toThrow(/^MAIL_FROM: /);
  });
});

describe("a mail", () => {
  it("arrives as it was written, as plain text from us to one address", async () => {
    const transport = await transportTo({}, plain);
    const text = "Grüße an Ада.\n\nhttps://guard.example.com/accept#token=gr_lnk_100%25\n";
    await transport.send({ ...mail, subject: "Einladung zu Ökonomie 用户", text });
    const received = sink?.mails[0];
    expect(received).toMatchObject({ from: "no-reply@guard.example.com", to: ["ada@example.com"], isEncrypted: false });
    expect(received?.text.replaceAll("\r\n", "\n")).toBe(text);
    expect(received?.headers.get("from")).toBe("Policy Guard <no-reply@guard.example.com>");
    expect(received?.headers.get("message-id")).toBe("<m-1@guard.example.com>");
    expect(received?.headers.get("content-type")).toMatch(/^text\/plain; charset=utf-8/);
    expect(received?.headers.get("auto-submitted")).toBe("auto-generated");
  });

  it.each([
    ["subject", "Hi\r\nBcc: eve@example.com"],
    ["subject", "Hi\nBcc: eve@example.com"],
    ["to", "ada@example.com\r\nRCPT TO:<eve@example.com>"],
    ["id", "x>\r\nBcc: eve@example.com"],
  ])("with a line break in its %s is refused for good and reaches nobody", async (field, value) => {
    const transport = await transportTo({}, plain);
    await expect(transport.send({ ...mail, [field]: value })).rejects.toThrow(MailRefused);
    expect(sink?.mails).toEqual([]);
  });

  it("goes to exactly one address, even if the address looks like several", async () => {
    const transport = await transportTo({}, plain);
    await transport.send({ ...mail, to: "ada@example.com, eve@example.com" }).catch(() => undefined);
    expect(sink?.mails.filter(({ to }) => to.includes("eve@example.com"))).toEqual([]);
  });

  it("is not sent in plain text to a server without TLS, unless the URL says so", async () => {
    const transport = await transportTo({}, (port) => `smtp://127.0.0.1:${port}`);
    await expect(transport.send(mail)).rejects.not.toThrow(MailRefused);
    expect(sink?.mails).toEqual([]);
  });

  it.each([false, true])(
    "is not sent to a server whose certificate nobody vouches for (implicit TLS: %s)",
    async (isImplicit) => {
      const { certificate: cert, key } = selfSigned(["127.0.0.1"]);
      const scheme = isImplicit ? "smtps" : "smtp";
      const transport = await transportTo(
        { tls: { cert, key, isImplicit } },
        (port) => `${scheme}://127.0.0.1:${port}`,
      );
      await expect(transport.send(mail)).rejects.toThrow(/self-signed/);
      expect(sink?.mails).toEqual([]);
    },
  );

  it("that the server refuses for good differs from one that it may accept later", async () => {
    const refusal = (to: string) => ({ "gone@example.com": 550, "full@example.com": 452 })[to];
    const transport = await transportTo({ refusal }, plain);
    await expect(transport.send({ ...mail, to: "gone@example.com" })).rejects.toThrow(MailRefused);
    await expect(transport.send({ ...mail, to: "full@example.com" })).rejects.not.toThrow(MailRefused);
    await transport.send(mail);
  });

  it("waits while the login is wrong, which an operator can repair", async () => {
    const login = { user: "guard", pass: "right" };
    const transport = await transportTo({ login }, (port) => `smtp://guard:wrong@127.0.0.1:${port}?tls=off`);
    await expect(transport.send(mail)).rejects.not.toThrow(MailRefused);
    expect(sink?.mails).toEqual([]);
  });
});
