import { defineTask } from "./task.ts";

/** Mails what the operator's commands have changed to the admins of the organization. */
export const mailNotice = defineTask({
  name: "mail-notice",
  read({ org_id, notice_id, subject, text }) {
    if (typeof org_id !== "string" || typeof notice_id !== "string") throw new Error("a mail-notice job without ids");
    return { org_id, notice_id, subject: String(subject), text: String(text) };
  },
  run: ({ notices }, notice) => notices.mail(notice),
});
