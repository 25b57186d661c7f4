import { MailRefused } from "../platform/mail.ts";
import { defineTask } from "./task.ts";

/** Hands a mail to the mail server. Retried while that might help, and until the mail expires. */
export const sendMail = defineTask({
  name: "send-mail",
  read({ id, sealed, expires_at = null }) {
    if (typeof id !== "string" || typeof sealed !== "string") throw new Error("a send-mail job without its mail");
    return { id, sealed, expires_at: expires_at === null ? null : String(expires_at) };
  },
  async run({ mails, log }, mail) {
    try {
      const isSent = await mails.deliver(mail);
      log.info({ mail: mail.id }, isSent ? "sent a mail" : "dropped a mail that had expired");
    } catch (err) {
      if (!(err instanceof MailRefused)) throw err;
      log.warn({ mail: mail.id, err }, "the mail server refuses a mail for good");
    }
  },
});
