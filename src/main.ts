// `npm run control-plane`: the control plane with its REST facade, as one process.

import "./kit/thread-pool.ts";
import { controlPlaneSchema } from "./config.ts";
import { startControlPlane } from "./control-plane.ts";
import { productVariables, readConfig } from "./kit/config.ts";
import { createLog } from "./kit/log.ts";
import { shutDownOnSignal } from "./kit/shutdown.ts";

const config = readConfig(controlPlaneSchema, process.env, productVariables);
const log = createLog({ name: "control-plane", level: config.logLevel });
const controlPlane = await startControlPlane(config, { log });
shutDownOnSignal({ log, steps: controlPlane.shutdownSteps });
log.info({ port: controlPlane.port }, "control plane is listening");
