import { isUuid } from "../kit/process/id.ts";
import { defineTask } from "./task.ts";

/** Works a slice of a run. Running it twice repeats nothing: results are committed with the cursor. */
export const workRun = defineTask({
  name: "work-run",
  read({ org_id, run_id }) {
    const isWhole = typeof org_id === "string" && isUuid(org_id) && typeof run_id === "string" && isUuid(run_id);
    if (!isWhole) throw new Error("a work-run job without its ids");
    return { org_id, run_id };
  },
  run: ({ runs }, run) => runs.work(run),
});
