import { defineTask, readNothing } from "./task.ts";

/** Makes the keys of erasures' hashes that organizations lack, so that backups have them. */
export const makeErasureKeys = defineTask({
  name: "make-erasure-keys",
  schedule: { cron: "23 * * * *" },
  read: readNothing,
  async run({ erasureKeys, log }) {
    const made = await erasureKeys.makeAll();
    if (made > 0) log.debug({ made }, "made keys of erasures");
  },
});
