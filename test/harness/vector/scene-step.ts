// What steps of vectors that no call of the API can make are to the scene.

import type { JsonObject } from "@bufbuild/protobuf";
import type { MovedClock } from "../moved-clock.ts";
import type { DnsServer } from "../net/dns-server.ts";
import type { TestControlPlane } from "../process/control-plane.ts";
import type { World } from "./world.ts";

/** Where vectors play: a control plane, and the clock that it runs by. */
export interface Stage {
  readonly plane: TestControlPlane;
  readonly clock: MovedClock;
  readonly dns: DnsServer;
}

/** What a step that is no call does; what it returns is bound to its name. */
export type SceneStep = (request: JsonObject, stage: Stage, world: World) => Promise<JsonObject>;
