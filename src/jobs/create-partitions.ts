import { defineTask, readNothing } from "./task.ts";

/** Makes the partitions of the next months. Once a day is enough: they are made three months in advance. */
export const createPartitions = defineTask({
  name: "create-partitions",
  schedule: { cron: "11 1 * * *", backfillMs: 24 * 3_600_000 },
  read: readNothing,
  async run({ retention, log }) {
    const partitions = await retention.createPartitions();
    if (partitions.length > 0) log.info({ partitions }, "made partitions");
  },
});
