// What stands before a call of a vector, and the call itself. Steps whose method begins with "$" do what no call of the
// API can; everything else is made through the API, over REST.

import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { EvaluationRecordSchema } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { type Call, CallSchema, type Step, type Vector } from "../../../gen/policyguard/testing/v1/vector_pb.ts";
import type { Plan } from "../../../src/domain/billing/plan.ts";
import { Ingest } from "../../../src/domain/fleet/ingest.ts";
import { newId } from "../../../src/kit/process/id.ts";
import type { Database } from "../../../src/store/connection/database.ts";
import { findAgentByKey, touchAgents } from "../../../src/store/project/agent.ts";
import { findOrganization } from "../../../src/store/tenancy/organization.ts";
import { testSealer } from "../sealer.ts";
import { accountSteps, somewhere } from "./account-step.ts";
import { alertSteps } from "./alert-step.ts";
import { annotationSteps } from "./annotation-step.ts";
import { billingSteps } from "./billing-step.ts";
import { datasetSteps } from "./dataset-step.ts";
import type { Dialect, TestAnswer } from "./dialect.ts";
import { filled } from "./match.ts";
import { setPlan } from "./plan.ts";
import { runSteps } from "./run-step.ts";
import { runtimeSteps } from "./runtime-step.ts";
import type { SceneStep, Stage } from "./scene-step.ts";
import { scimSteps } from "./scim-step.ts";
import { ssoSteps } from "./sso-step.ts";
import { teamSteps } from "./team-step.ts";
import { webhookSteps } from "./webhook-step.ts";
import { createWorld, tokenOf, type World } from "./world.ts";

/** What a vector may name as "${…}". */
export type Variables = Readonly<Record<string, unknown>>;

/** An organization in the state in which a vector begins. */
export interface Scene {
  readonly world: World;
  readonly variables: Variables;
}

/**
 * Steps that are no calls:
 * - "$agent" {project_id, key}: the agent is seen in an evaluation. Bound to its id and key.
 * - "$trace" {project_id, environment, record}: a runtime reported this evaluation, an EvaluationRecord in ProtoJSON;
 *   what it lacks is made up. Bound to its id.
 * - "$wait" {seconds}: the control plane's clock goes forward.
 * - "$outdate" {policy_id, version}: an earlier release took this version, and ours does not understand it.
 * - "$plan" {plan}: the organization has this plan.
 * - "$scim_group" {name}: a group of the directory, by its name. Bound to its id.
 * - "$scim_member" {name, member_id}: the directory has put the member into this group.
 * - "$made_by_directory" {member_id}: the directory that manages the member has made their account.
 * - "$fill_queue" {}: a worker fills the queues of traces to annotate.
 * - "$bill" {}: the organization is blocked until its bill is settled.
 * - "$person" {as}: a member of the organization, by the persona's name; without it, somebody who is in none. Bound to
 *   the address, the password and the tokens of a live session.
 * - "$factor" {access_token}: a second factor is set up. Bound to its secret, a code, one that was used, and two
 *   recovery codes.
 * - "$demand_factors" {}: the organization demands a second factor of everybody who signs in with a password.
 * - "$link" {purpose, account_id, email, seconds}: a link was mailed: "reset", for an account, or "register", for an
 *   address. It ends after the seconds, or in ten minutes. Bound to its token.
 * - "$flood" {}: an address has sent all the authentication requests that it may. Bound to it.
 * - "$aged" {account_id, session_id}: the session began with a sign-in more than ten minutes ago.
 * - "$unproven" {account_id}: nobody has shown that the address of the account is theirs.
 * - "$enrol" {access_token}: the set-up of a second factor is begun. Bound to a code that finishes it.
 * - "$session" {account_id}: another session of the account. Bound to its id.
 * - "$opened" {link}: the link of an invitation was opened. Bound to its token.
 * - "$expire" {member_id}: a week has passed for the invitation.
 * - "$wish" {}: Bound to the id of the organization's join request.
 * - "$idp" {}: an identity provider. Bound to its issuer, client_id and client_secret.
 * - "$sso" {issuer, …}: the organization has single sign-on at that provider, with whatever else ConfigureSso takes; an
 *   issuer in it is one that is not asked. Bound to the domain that it has verified, and its domain_id.
 * - "$domain" {}: the organization has verified a domain. Bound to it.
 * - "$arrival" {return_to, email, lost}: somebody has signed in there, and is on the way back; "lost": their provider
 *   is away by now. Bound to the code, state and iss that the browser brings, and to the flow token.
 * - "$sso_code" {email}: the same, and their sign-in is finished with a code. Bound to it and to the flow token.
 * - "$verified_elsewhere" {}: another organization has verified a domain. Bound to it.
 * - "$text" {name, text}: a TXT record is published.
 * - "$dropped" {webhook_id}: an attempt to deliver to the webhook failed for good. Bound to the delivery's id and its
 *   event_id.
 * - "$runtime" {project_id, environment, bundle_version, activation_seq, rejection, labels, spool_depth, lost}: a runtime
 *   has introduced itself, said how it stands, and lost so many evaluations. Bound to its id.
 * - "$compare" {project_id, environment, version, digest, load_failure}: a runtime compared that candidate in twelve
 *   evaluations, two of which differ; another could not load it, for the reason given.
 * - "$importing" {dataset_id}: an import is adding samples to the dataset.
 * - "$import" {dataset_id}: a file of two lines was imported, one of them wrong. Bound to the import's id.
 * - "$fetch" {dataset_id}: an import by an address waits for a worker. Bound to its id.
 * - "$crowded" {dataset_id}: the dataset has as many samples as it may have.
 * - "$etag" {digest, activation_seq}: nothing happens. Bound to the entity tag of the bundle under that activation.
 * - "$use" {evaluations}: so many evaluations of this month have been reported.
 * - "$work" {run_id}: a worker takes up the run and works on it for up to five seconds.
 * - "$afterRestore" {reason}: the operator says that a backup was restored, and the log begins an epoch.
 * - "$checkpoint" {}: a worker signs a checkpoint of the log of evidence.
 * - "$checkout" {plan, success_url, cancel_url}: a checkout is begun. Bound to its id and key.
 * - "$subscribed" {plan, owing}: the plan was bought; "owing": its renewal was declined.
 * - "$portal" {return_url}: the portal was opened. Bound to its id and key.
 * - "$invoice" {}: Bound to the id and the key of the newest invoice.
 * - "$repeat" {times, call, refused}: the call is made so many times; "${n}" in it counts from 1. With "refused" it
 *   fails each time.
 */
const sceneSteps: Readonly<Record<string, SceneStep>> = {
  $agent: async ({ project_id, key }, { plane: { database } }, { orgId }) => {
    await database.systemTransaction(orgId, async (tx) =>
      touchAgents(tx, String(project_id), new Map([[String(key), tx.now]])),
    );
    const agent = await database.read(orgId, (tx) => findAgentByKey(tx, String(project_id), String(key)));
    return { id: agent?.id ?? "", key: agent?.key ?? "" };
  },
  $trace: async ({ project_id, environment, record }, { plane, clock }, { orgId }) => {
    const made = fromJson(EvaluationRecordSchema, {
      evaluationId: newId(),
      createdAt: clock.now().toISOString(),
      stage: "STAGE_INPUT",
      outcome: "OUTCOME_ALLOW",
      wouldBeOutcome: "OUTCOME_ALLOW",
      ...(record as JsonObject | undefined),
    });
    const source = { orgId, projectId: String(project_id), environment: String(environment), instanceId: newId() };
    const ingest = new Ingest(plane.database, { sealer: testSealer, onResult: () => undefined });
    const { stored } = await ingest.ingest(source, { firstSeq: 1, lastSeq: 1, records: [made] });
    if (stored !== 1) throw new Error("the evaluation was not stored");
    return { id: made.evaluationId };
  },
  $wait: async ({ seconds }, { clock }) => {
    clock.pass(Number(seconds) * 1000);
    return {};
  },
  ...accountSteps,
  ...teamSteps,
  ...ssoSteps,
  ...runtimeSteps,
  ...webhookSteps,
  ...runSteps,
  ...annotationSteps,
  ...billingSteps,
  $outdate: async ({ policy_id, version }, { plane }, { orgId }) => {
    const text = `update policy_version set document = document || '{"apiVersion": "policyguard/v0"}'
                  where org_id = ? and policy_id = ? and version = ?`;
    await plane.database.systemTransaction(orgId, (tx) => tx.sql(text, [orgId, policy_id, version]));
    return {};
  },
  $plan: async ({ plan }, { plane }, { orgId }) => {
    await setPlan(plane.database, orgId, plan as Plan);
    return {};
  },
  ...scimSteps,
  ...alertSteps,
  ...datasetSteps,
  $bill: async (_request, { plane }, { orgId }) => {
    await blockBilling(plane.database, orgId);
    return {};
  },
};

/** Makes an organization, and in it what the vector says is given. */
export async function setScene(stage: Stage, { given }: Pick<Vector, "given">): Promise<Scene> {
  const world = await createWorld(stage.plane.database);
  const variables: Record<string, unknown> = {
    ...world.variables,
    ...stage.plane.variables,
    tokens: world.tokens,
    in_an_hour: wholeSeconds(new Date(stage.clock.now().getTime() + 3_600_000)),
  };
  for (const step of given) {
    const answer = await play(stage, step, { world, variables });
    if (step.bind !== "") variables[step.bind] = answer;
  }
  return { world, variables };
}

/** Blocks the organization until its bill is settled. */
export function blockBilling(database: Database, orgId: string): Promise<void> {
  return database.systemTransaction(orgId, async (tx) => {
    (await findOrganization(tx)).billingBlocked = true;
  });
}

const maxTries = 5;

/** Makes the call in a dialect, again where it is refused for the moment: under much load an analysis may be. */
export async function perform(
  { plane }: Stage,
  dialect: Dialect,
  call: Call,
  { world, variables }: Scene,
): Promise<TestAnswer> {
  const token = await tokenOf(world, call.as || "admin");
  for (let tries = 1; ; tries += 1) {
    const answer = await plane.caller.call(dialect, {
      method: call.method,
      request: filled((call.request ?? {}) as JsonObject, variables),
      token,
      headers: { ...somewhere(), ...filled({ ...call.headers }, variables) },
      rawBody: call.rawBody === undefined ? undefined : filled(call.rawBody, variables),
    });
    if (answer.error !== "overloaded" || tries === maxTries) return answer;
  }
}

async function play(stage: Stage, { bind, call }: Step, scene: Scene): Promise<unknown> {
  if (call === undefined) throw new Error("a given step has no call");
  if (call.method === "$repeat") return repeat(stage, call.request ?? {}, scene);
  const step = sceneSteps[call.method];
  if (step !== undefined) {
    return step(filled((call.request ?? {}) as JsonObject, scene.variables), stage, scene.world);
  }
  const answer = await perform(stage, "rest", call, scene);
  if (answer.status < 300) return answer.body;
  throw new Error(`${bind || call.method} could not be made: ${JSON.stringify(answer.body)}`);
}

async function repeat(stage: Stage, request: JsonObject, { world, variables }: Scene): Promise<JsonObject> {
  const { times, call, refused } = request;
  const repeated = fromJson(CallSchema, call ?? {});
  for (let n = 1; n <= Number(times); n++) {
    const scene = { world, variables: { ...variables, n } };
    const answer = await perform(stage, "rest", repeated, scene);
    if (answer.status < 300 === (refused === true)) throw new Error(`round ${n}: ${JSON.stringify(answer.body)}`);
  }
  return {};
}

function wholeSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
