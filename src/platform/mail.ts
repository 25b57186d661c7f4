// Mail over SMTP. Encrypted unless the URL says otherwise: smtps:// from the first byte, smtp:// by STARTTLS, without
// which nothing is sent (RFC 8314). Messages are plain text to one address. A name or an address can never add a
// header: a text with a line break is refused here, whatever was checked before.

import { createTransport } from "nodemailer";
import { inSpan } from "../kit/observability/tracing.ts";

/** How mail is sent. */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  readonly encryption: "tls" | "starttls" | "none";
  readonly login: { readonly user: string; readonly pass: string } | undefined;
  readonly from: Mailbox;
}

/** An address with a display name. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** One message. */
export interface OutgoingMail {
  /** Unique; makes the Message-ID, so that a message that is sent twice is seen as one. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Hands messages to a mail server. */
export interface MailTransport {
  /**
   * Resolves when the server has taken the message. Throws MailRefused when it never will, anything else when it might
   * later.
   */
  send(mail: OutgoingMail): Promise<void>;
}

/** The server refuses this message for good. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };
const breaks = /[\r\n\0]/;

/**
 * The settings that two variables state; undefined when mail is not configured. Throws an error of one clear line for
 * unusable settings.
 */
export function readMailSettings({
  smtpUrl,
  mailFrom,
}: {
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string | undefined;
}): MailSettings | undefined {
  if (smtpUrl === undefined) return undefined;
  if (mailFrom === undefined) throw new Error("MAIL_FROM: unset; SMTP_URL needs it");
  const { protocol, hostname, port, username, password, searchParams } = new URL(smtpUrl);
  const tls = searchParams.get("tls");
  const unknown = [...searchParams.keys()].filter((key) => key !== "tls");
  if (unknown.length > 0 || (tls !== null && (tls !== "off" || protocol !== "smtp:"))) {
    throw new Error("SMTP_URL: the only parameter is tls=off, for smtp:// only");
  }
  if (hostname === "") throw new Error("SMTP_URL: no host is given");
  const encryption = protocol === "smtps:" ? "tls" : tls === "off" ? "none" : "starttls";
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (encryption === "tls" ? 465 : 587) : Number(port),
    encryption,
    login: username === "" ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    from: readMailbox(mailFrom),
  };
}

function readMailbox(text: string): Mailbox {
  const match = /^(?:([^<>"]*)<)?([^\s<>@",;:]+@[^\s<>@",;:]+)>?$/.exec(text.trim());
  const [, name = "", address = ""] = match ?? [];
  if (match === null || breaks.test(text) || text.includes("<") !== text.includes(">")) {
    throw new Error(
      'MAIL_FROM: expected an address such as no-reply@example.com or "Policy Guard <no-reply@example.com>"',
    );
  }
  return { name: name.trim(), address };
}

/** A transport with these settings. Each message has a connection of its own. */
export function createMailTransport({ host, port, encryption, login, from }: MailSettings): MailTransport {
  const transport = createTransport({
    ...{ host, port, ...timeouts },
    secure: encryption === "tls",
    requireTLS: encryption === "starttls",
    ignoreTLS: encryption === "none",
    ...(login === undefined ? {} : { auth: login }),
    // Nothing in a message makes this process read a file or a URL.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const domain = from.address.slice(from.address.indexOf("@") + 1);
  return {
    async send({ id, to, subject, text }) {
      if ([id, to, subject].some((header) => breaks.test(header))) {
        throw new MailRefused("a line break in the headers of a message");
      }
      const headers = { "Auto-Submitted": "auto-generated" }; // RFC 3834
      const recipient = { name: "", address: to };
      try {
        const messageId = `<${id}@${domain}>`;
        await inSpan("outbound mail", "client", () =>
          transport.sendMail({ from, to: recipient, subject, text, headers, messageId }),
        );
      } catch (error) {
        throw isFinal(error) ? new MailRefused("the mail server refuses the message", { cause: error }) : error;
      }
    },
  };
}

// The operator has to repair a wrong login or a missing STARTTLS, so such a message waits.
function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { readonly code?: unknown; readonly responseCode?: number };
  return (code === "EENVELOPE" || code === "EMESSAGE") && responseCode >= 500;
}
