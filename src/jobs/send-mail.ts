import { MailRefused } from "../kit/mail.ts";
import { defineTask } from "./task.ts";

/** Hands a mail to the mail server. Tried again while that might help; never later than the mail says something. */
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
