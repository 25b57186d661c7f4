// Where the recorded examples of the API lie, and how a run of the suite is asked to record them.

import { fileURLToPath } from "node:url";

/** The recorded examples, by method. */
export const examplesFile = fileURLToPath(new URL("../../examples/api.json", import.meta.url));

/** Environment variable that names the file into which tests record, a line for each call. */
export const examplesVariable = "RECORD_EXAMPLES";
