// A real mail server that keeps what it is given.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/** A message as it came in. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether the connection was encrypted. */
  readonly isEncrypted: boolean;
  /** Headers by lower-case name; the last of each. */
  readonly headers: ReadonlyMap<string, string>;
  /** The text, decoded. */
  readonly text: string;
  /** All of it, as it came. */
  readonly raw: string;
}

/** A running mail server. */
export interface MailSink {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** The next mail to this address. */
  next(to: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** How the server behaves. */
export interface MailSinkOptions {
  /** With a certificate it offers STARTTLS, or speaks TLS from the first byte. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly isImplicit?: boolean };
  /** The only login that it takes; without it nobody has to log in. */
  readonly login?: { readonly user: string; readonly pass: string };
  /** The code with which it refuses a recipient; undefined to take everybody. */
  readonly refusal?: (recipient: string) => number | undefined;
}

/** Starts a mail server. */
export async function startMailSink({ tls, login, refusal }: MailSinkOptions = {}): Promise<MailSink> {
  const mails: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    ...(tls === undefined ? { hideSTARTTLS: true } : { cert: tls.cert, key: tls.key, secure: tls.isImplicit === true }),
    authOptional: login === undefined,
    disabledCommands: login === undefined ? ["AUTH"] : [],
    closeTimeout: 100,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login?.user && password === login?.pass;
      done(isRight ? null : new Error("wrong login"), isRight ? { user: username } : undefined);
    },
    onRcptTo({ address }, _session, done) {
      const code = refusal?.(address);
      done(code === undefined ? null : Object.assign(new Error("refused"), { responseCode: code }));
    },
    async onData(stream, { envelope, secure }, done) {
      const raw = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)).toString("utf8");
      const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
      mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), isEncrypted: secure, ...parsed(raw), raw });
      for (const wake of waiting) wake();
      done(null);
    },
  });
  // A client that hangs up, as the tests' do when they distrust the certificate, is nothing to fail for.
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    async next(to) {
      for (;;) {
        const at = mails.findIndex((mail) => mail.to.includes(to));
        const [mail] = at < 0 ? [] : mails.splice(at, 1);
        if (mail !== undefined) return mail;
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function parsed(raw: string) {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { headers, text: decoded(raw.slice(end + 4), headers.get("content-transfer-encoding") ?? "7bit") };
}

function decoded(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body;
  const escaped = body.replace(/=\r\n/g, "").replaceAll("%", "=25");
  return decodeURIComponent(escaped.replace(/=([0-9A-F]{2})/g, "%$1"));
}
