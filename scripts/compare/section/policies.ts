// What the control plane says about policies: problems, tests, robustness, differences, explanations.

import { call, demand, inParallel } from "../call.ts";
import { type Document, published } from "../input/documents.ts";
import { mutated } from "../input/mutation.ts";
import { pick, randomOf } from "../input/random.ts";
import { at, isObject, type Json, type JsonObject, sorted, textAt } from "../json.ts";
import type { Recording } from "../recording.ts";
import { environment, type World } from "../world.ts";
import { answered } from "./evaluations.ts";

/** How much of everything. */
export interface PolicySizes {
  readonly validations: number;
  readonly diffs: number;
  readonly explanations: number;
  readonly robustness: number;
}

/** Asks for all of it. */
export async function recordPolicies(
  world: World,
  {
    documents,
    texts,
    sizes,
  }: { readonly documents: readonly Document[]; readonly texts: readonly string[]; readonly sizes: PolicySizes },
  recording: Recording,
): Promise<void> {
  await recordValidations(world, documents, sizes.validations, recording);
  await recordTests(world, documents, sizes.robustness, recording);
  await recordDiffs(world, documents, sizes.diffs, recording);
  await recordExplanations(world, { documents, texts, count: sizes.explanations }, recording);
}

function urlOf({ installation }: World, path: string): string {
  return `${installation.orgUrl}/policies${path}`;
}

async function recordValidations(world: World, documents: readonly Document[], count: number, recording: Recording) {
  const numbers = Array.from({ length: Math.max(count, 1) }, (_, index) => index);
  const token = world.installation.facts.admin_token;
  await inParallel(numbers, 3, async (index) => {
    const random = randomOf(`validation ${index}`);
    const own = documents[index];
    const { name, source } = own ?? pick(random, documents);
    const document = own === undefined ? mutated(random, source) : source;
    const { status, body } = await call(urlOf(world, "/validate"), { token, body: { document } });
    recording.add("validations", `${index} ${name}`, { status, body });
  });
}

async function recordTests(world: World, documents: readonly Document[], count: number, recording: Recording) {
  const token = world.installation.facts.admin_token;
  const tested = documents.filter(({ source }) => /^tests:/m.test(source));
  await inParallel(tested, 2, async ({ name, source }, index) => {
    const body = { document: source, robustness: index < count };
    recording.add("policy-tests", name, answered(await call(urlOf(world, "/test"), { token, body })));
  });
  // Of the policies as they are stored, packs and named lists included.
  const body = { project_id: world.projectId, robustness: count >= 20 };
  recording.add(
    "policy-tests",
    "project",
    sortedPolicies(answered(await call(urlOf(world, "/test"), { token, body }))),
  );
}

/** Stored policies come in the order of their ids, which chance makes. */
function sortedPolicies(answer: JsonObject): JsonObject {
  const { body } = answer;
  if (!isObject(body) || !Array.isArray(body.policies)) return answer;
  const policies = body.policies.toSorted((a: Json, b: Json) => (textAt(a, "name") < textAt(b, "name") ? -1 : 1));
  return { ...answer, body: { ...body, policies } };
}

/** Versions of one policy, each compared with the next. */
async function recordDiffs(world: World, documents: readonly Document[], count: number, recording: Recording) {
  const token = world.installation.facts.admin_token;
  const stored = documents.map((document) => published(document, "changing")).filter((policy) => policy !== undefined);
  const scope = { app_id: world.projectId, env: "dev" };
  const first = stored[0];
  if (first === undefined) return;
  const created = await demand(urlOf(world, ""), { token, body: { document: first, scope } });
  const url = urlOf(world, `/${textAt(created, "id")}`);
  let version = 1;
  for (let index = 1; index <= count; index++) {
    const random = randomOf(`diff ${index}`);
    const document = varied(random, pick(random, stored));
    const put = await call(url, { token, method: "PUT", body: { document, scope } });
    recording.add("policy-updates", String(index), {
      status: put.status,
      problems: at(put.body, "detail", "problems") ?? null,
    });
    if (put.status !== 200) continue;
    version += 1;
    // Mostly with the version before; where the next is the same policy with another value, that says most.
    const diff = await call(`${url}/diff?from=${version - 1}&to=${version}`, { token });
    recording.add("diffs", `${index} from ${version - 1}`, answered(diff));
    const changed = await call(url, { token, method: "PUT", body: { document: varied(random, document), scope } });
    if (changed.status !== 200) continue;
    version += 1;
    recording.add(
      "diffs",
      `${index} value`,
      answered(await call(`${url}/diff?from=${version - 1}&to=${version}`, { token })),
    );
  }
}

/** The same policy with one rule changed. */
function varied(random: () => number, document: JsonObject): JsonObject {
  const rules: readonly Json[] = Array.isArray(document.rules) ? document.rules : [];
  const at = Math.floor(random() * rules.length);
  const change: JsonObject = pick<JsonObject>(random, [
    { action: pick(random, ["ALLOW", "FLAG", "REDACT", "BLOCK"]) },
    { severity: pick(random, ["info", "low", "medium", "high", "critical"]) },
    { mode: pick(random, ["shadow", "enforce", "off"]) },
    { stages: [pick(random, ["input", "output", "tool_result"])] },
    { message: "Another one." },
    { unless: "segment.length > 10" },
  ]);
  const { tests: _, ...rest } = document;
  return {
    ...rest,
    rules: rules.map((rule, index) => (index === at && isObject(rule) ? { ...rule, ...change } : rule)),
  };
}

async function recordExplanations(
  world: World,
  {
    documents,
    texts,
    count,
  }: { readonly documents: readonly Document[]; readonly texts: readonly string[]; readonly count: number },
  recording: Recording,
) {
  const token = world.installation.facts.admin_token;
  const numbers = Array.from({ length: count }, (_, index) => index);
  await inParallel(numbers, 2, async (index) => {
    const random = randomOf(`explanation ${index}`);
    // All policies in force at once are much to explain.
    const own = index % 20 === 0 ? undefined : documents[index % documents.length];
    const text = pick(random, texts).slice(0, 800).toWellFormed();
    const stage = pick(random, ["input", "output", "tool_result", "retrieval"]);
    const place: JsonObject =
      own === undefined ? { project_id: world.projectId, environment } : { document: own.source };
    const agent: JsonObject = own === undefined ? { agent_id: `doc-${1 + Math.floor(random() * 3)}` } : {};
    const request = { text, ...agent, options: { detail: "full", timeout_ms: 30_000 } };
    recording.add(
      "explanations",
      String(index),
      sorted(answered(await call(urlOf(world, "/explain"), { token, body: { ...place, stage, request } }))),
    );
  });
}
