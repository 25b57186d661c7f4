import { defineTask, readNothing } from "./task.ts";

/** Frees the jobs of workers that died, which graphile-worker itself does after four hours. */
export const unlockDeadPools = defineTask({
  name: "unlock-dead-pools",
  schedule: { everySeconds: 30 },
  read: readNothing,
  async run({ unlockDeadPools: unlock, log }) {
    const pools = await unlock();
    if (pools.length > 0) log.warn({ pools }, "unlocked the jobs of dead pools");
  },
});
