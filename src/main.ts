// `npm run control-plane`: the control plane with its REST facade, as one process.

import "./kit/process/thread-pool.ts";
import { controlPlaneSchema } from "./config.ts";
import { startControlPlane } from "./control-plane.ts";
import { createLog } from "./kit/observability/log.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { shutDownOnSignal } from "./kit/process/shutdown.ts";
import { startOrSay } from "./kit/process/start-failure.ts";

await startOrSay({ name: "the control plane", ports: "PORT or MANAGEMENT_PORT" }, async () => {
  const config = readConfig(controlPlaneSchema, process.env, productVariables);
  const log = createLog({ name: "control-plane", level: config.logLevel });
  const controlPlane = await startControlPlane(config, { log });
  shutDownOnSignal({ log, steps: controlPlane.shutdownSteps });
  log.info({ port: controlPlane.port }, "control plane is listening");
});
