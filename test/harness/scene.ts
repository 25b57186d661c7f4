// What stands before a call of a vector, and the call itself. Steps whose method begins with "$" do what no call of the
// API can; everything else is made through the API, over REST.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Call, Step, Vector } from "../../gen/policyguard/testing/v1/vector_pb.ts";
import { findAgentByKey, touchAgents } from "../../src/store/agent.ts";
import { findOrganization } from "../../src/store/organization.ts";
import type { TestControlPlane } from "./control-plane.ts";
import type { Dialect, TestAnswer } from "./dialect.ts";
import { filled } from "./match.ts";
import type { MovedClock } from "./moved-clock.ts";
import { createWorld, type Persona, type World } from "./world.ts";

/** What a vector may name as "${…}". */
export type Variables = Readonly<Record<string, unknown>>;

/** An organization in the state in which a vector begins. */
export interface Scene {
  readonly world: World;
  readonly variables: Variables;
}

/** Where vectors play: a control plane, and the clock that it runs by. */
export interface Stage {
  readonly plane: TestControlPlane;
  readonly clock: MovedClock;
}

type SceneStep = (request: JsonObject, stage: Stage, world: World) => Promise<JsonObject>;

/**
 * Steps that are no calls:
 * - "$agent" {project_id, key}: the agent is seen in an evaluation. Bound to its id and key.
 * - "$wait" {seconds}: the control plane's clock goes forward.
 * - "$bill" {}: the organization is blocked until its bill is settled.
 */
const sceneSteps: Readonly<Record<string, SceneStep>> = {
  $agent: async ({ project_id, key }, { plane }, { orgId }) =>
    plane.database.systemTransaction(orgId, async (tx) => {
      await touchAgents(tx, String(project_id), new Map([[String(key), tx.now]]));
      const agent = await findAgentByKey(tx, String(project_id), String(key));
      return { id: agent?.id ?? "", key: agent?.key ?? "" };
    }),
  $wait: async ({ seconds }, { clock }) => {
    clock.pass(Number(seconds) * 1000);
    return {};
  },
  $bill: async (_request, { plane }, { orgId }) =>
    plane.database.systemTransaction(orgId, async (tx) => {
      (await findOrganization(tx)).billingBlocked = true;
      return {};
    }),
};

/** Makes an organization, and in it what the vector says is given. */
export async function setScene(stage: Stage, { given }: Pick<Vector, "given">): Promise<Scene> {
  const world = await createWorld(stage.plane.database);
  const variables: Record<string, unknown> = {
    ...world.variables,
    ...stage.plane.variables,
    in_an_hour: wholeSeconds(new Date(stage.clock.now().getTime() + 3_600_000)),
  };
  for (const step of given) {
    const answer = await play(stage, step, { world, variables });
    if (step.bind !== "") variables[step.bind] = answer;
  }
  return { world, variables };
}

/** Makes the call in a dialect. */
export function perform(
  { plane }: Stage,
  dialect: Dialect,
  call: Call,
  { world, variables }: Scene,
): Promise<TestAnswer> {
  const persona = (call.as || "admin") as Persona;
  if (!(persona in world.tokens)) throw new Error(`nobody is called ${persona}`);
  return plane.caller.call(dialect, {
    method: call.method,
    request: filled((call.request ?? {}) as JsonObject, variables),
    token: world.tokens[persona],
    headers: filled({ ...call.headers }, variables),
    rawBody: call.rawBody === undefined ? undefined : filled(call.rawBody, variables),
  });
}

async function play(stage: Stage, { bind, call }: Step, scene: Scene): Promise<unknown> {
  if (call === undefined) throw new Error("a given step has no call");
  const step = sceneSteps[call.method];
  if (step !== undefined) {
    return step(filled((call.request ?? {}) as JsonObject, scene.variables), stage, scene.world);
  }
  const answer = await perform(stage, "rest", call, scene);
  if (answer.status < 300) return answer.body;
  throw new Error(`${bind || call.method} could not be made: ${JSON.stringify(answer.body)}`);
}

function wholeSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
