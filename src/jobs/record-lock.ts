import { isUuid } from "../kit/process/id.ts";
import { defineTask } from "./task.ts";

/** Writes the lock of an account into the log of evidence of its organizations. */
export const recordLock = defineTask({
  name: "record-lock",
  read({ account_id, locked_until, request_id, address }) {
    if (typeof account_id !== "string" || !isUuid(account_id)) throw new Error("a record-lock job without its account");
    if (typeof locked_until !== "string") throw new Error("a record-lock job that does not say until when");
    return { account_id, locked_until, request_id: String(request_id), address: String(address) };
  },
  async run({ locks }, lock) {
    await locks.record(lock);
  },
});
