// Breakdowns against a plain count of what was ingested: random dimensions and filters, over days that are folded and
// such as are not. `npm run assurance -- billing-breakdown` tries many more, and measures a breakdown of 400 days and
// 50 projects in a table of five million rows.

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Stage } from "../../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { seededRandom } from "../../../../../runtime/engine/authoring/seeded-random.ts";
import { isAssurance, reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";
import { UsageHistory, type UsageQuestion } from "../../../../../src/domain/billing/usage-history.ts";
import { Ingest } from "../../../../../src/domain/fleet/ingest.ts";
import { Projects } from "../../../../../src/domain/project/project.ts";
import { StatFold } from "../../../../../src/domain/telemetry/stat-fold.ts";
import { Organizations } from "../../../../../src/domain/tenancy/organization.ts";
import { type Database, openDatabase } from "../../../../../src/store/connection/database.ts";
import { createTestDatabase, type TestDatabase } from "../../../../harness/database.ts";
import { createMovedClock } from "../../../../harness/moved-clock.ts";
import { testSealer } from "../../../../harness/sealer.ts";
import { createWorld, type World } from "../../../../harness/vector/world.ts";
import { batchOf, evaluation } from "../../telemetry/evaluation.ts";

const { n, seed } = sampleOf({ n: 30, seed: 3 });
const random = seededRandom(seed);
const dayMs = 86_400_000;
const clock = createMovedClock(new Date("2026-11-23T12:00:00Z"));
const dimensions = ["project", "environment", "agent", "stage", "day"] as const;
const stageNames = { [Stage.INPUT]: "input", [Stage.OUTPUT]: "output", [Stage.TOOL_CALL]: "tool_call" } as const;
const stages = [Stage.INPUT, Stage.OUTPUT, Stage.TOOL_CALL] as const;

type Dimension = (typeof dimensions)[number];
type Made = Readonly<Record<Dimension, string>>;

let urls: TestDatabase;
let database: Database;
let world: World;
const made: Made[] = [];

function pick<T>(values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

beforeAll(async () => {
  urls = await createTestDatabase();
  database = await openDatabase({ url: urls.applicationUrl, poolSize: 4, clock });
  world = await createWorld(database);
  const owner = new Projects(database);
  const [second, third] = [
    await owner.create(world.caller, { name: "2" }),
    await owner.create(world.caller, { name: "3" }),
  ];
  const projects = [world.projectId, second.id, third.id] as const;
  const fold = new StatFold(database);
  for (let batch = 0; batch < 12; batch++) {
    await ingest(pick(projects), pick(["dev", "prod"]));
    if (batch === 7) await fold.fold(world.orgId);
  }
});

afterAll(async () => {
  await database.close();
  await urls.drop();
});

async function ingest(project: string, environment: string): Promise<void> {
  const source = { orgId: world.orgId, projectId: project, environment, instanceId: randomUUID() };
  const records = Array.from({ length: 1 + Math.floor(random() * 40) }, () => {
    const [stage, agentId] = [pick(stages), pick(["", "desk", "desk-2", "desk_3"])];
    const at = new Date(clock.now().getTime() - Math.floor(random() * 34 * dayMs));
    const day = at.toISOString().slice(0, 10);
    made.push({ project, environment, agent: agentId, stage: stageNames[stage], day });
    return evaluation({ stage, agentId }, at);
  });
  await new Ingest(database, { sealer: testSealer, onResult: () => undefined }).ingest(source, batchOf(records));
}

function randomQuestion(): {
  readonly by: Dimension[];
  readonly question: UsageQuestion;
  readonly isIn: (one: Made) => boolean;
} {
  const by = [...dimensions].sort(() => random() - 0.5).slice(0, 1 + Math.floor(random() * 3));
  const like = pick([made[0] as Made, ...made]);
  const maybe = <T>(value: T) => (random() < 0.35 ? value : undefined);
  const [from, to] = [Math.floor(random() * 40), Math.floor(random() * 40)].sort((a, b) => b - a);
  const dayBack = (days = 0) => new Date(clock.now().getTime() - days * dayMs).toISOString().slice(0, 10);
  const question = {
    ...{ from: dayBack(from), to: dayBack(to), projectId: maybe(like.project), environment: maybe(like.environment) },
    ...{ agentKey: maybe(like.agent), stage: maybe(like.stage) },
  };
  const isIn = (one: Made) =>
    one.day >= question.from &&
    one.day <= question.to &&
    (question.projectId ?? one.project) === one.project &&
    (question.environment ?? one.environment) === one.environment &&
    (question.agentKey ?? one.agent) === one.agent &&
    (question.stage ?? one.stage) === one.stage;
  return { by, question, isIn };
}

it("breakdowns add up to what was made, by whatever dimensions and filters", async () => {
  const history = new UsageHistory(database);
  let failures = 0;
  for (let i = 0; i < n; i++) {
    const { by, question, isIn } = randomQuestion();
    const wanted = new Map<string, number>();
    for (const one of made.filter(isIn)) {
      const key = by.map((name) => one[name]).join("|");
      wanted.set(key, (wanted.get(key) ?? 0) + 1);
    }
    const { shares, evaluations } = await history.breakdown(world.caller, by, question);
    const got = new Map(shares.map((share) => [by.map((name) => share.key[name]).join("|"), share.evaluations]));
    const sum = [...wanted.values()].reduce((total, count) => total + count, 0);
    const isSame = got.size === wanted.size && [...wanted].every(([key, count]) => got.get(key) === count);
    const isSorted = shares.every((share, at) => share.evaluations <= (shares[at - 1]?.evaluations ?? Infinity));
    if (isSame && isSorted && evaluations === sum) continue;
    failures += 1;
    console.error(`breakdown ${i} of seed ${seed}: by ${by}, ${JSON.stringify(question)}`);
  }
  // Of all, it is what the months have.
  const months = await history.list(world.caller, { granularity: "month" });
  expect(months.reduce((sum, month) => sum + month.evaluations, 0)).toBe(made.length);
  reportSample({ n, failures });
  expect(failures).toBe(0);
});

it("a table of another size takes no longer than the rows that are asked for", async () => {
  const rowsOfOthers = isAssurance() ? 4_900_000 : 5_000;
  const [others, projects] = isAssurance() ? [98, 50] : [1, 5];
  const witness = await urls.openWitness();
  // Rows as a fold writes them: 400 days, 50 projects, one environment, five agents and stages together.
  const fill = `insert into usage_day (org_id, day, project_id, environment, agent_key, stage, evaluations, overage)
    select org, date '2026-11-23' - day, md5(org::text || project)::uuid, 'prod', 'agent-' || agent, 1, 1 + agent, 0
    from unnest($1::uuid[]) as org, generate_series(0, $2::int) as day, generate_series(1, $3::int) as project,
      generate_series(1, $4::int) as agent`;
  const organizations = new Organizations(database);
  const perDay = Math.ceil(rowsOfOthers / others / 400 / projects);
  for (let i = 0; i < others; i++) {
    const { id } = await organizations.create({ name: `Other ${i}` });
    await witness.query(fill, [[id], 399, projects, perDay]);
  }
  const mine = await createWorld(database);
  await witness.query(fill, [[mine.orgId], 399, projects, 5]);
  await witness.query("vacuum analyze usage_day");
  const { rows } = await witness.query("select count(*)::int as rows from usage_day");
  await witness.end();
  const history = new UsageHistory(database);
  const question = { from: "2025-10-20", to: "2026-11-23" };
  const measure = async (by: readonly Dimension[]) => {
    const times: number[] = [];
    for (let i = 0; i < 7; i++) {
      const beganAt = performance.now();
      const { evaluations } = await history.breakdown(mine.caller, by, question);
      times.push(performance.now() - beganAt);
      expect(evaluations).toBe(400 * projects * (2 + 3 + 4 + 5 + 6));
    }
    return Math.round(times.sort((a, b) => a - b)[3] ?? 0);
  };
  const figures = {
    rows_of_usage_day: rows[0]?.rows ?? 0,
    rows_of_the_organization: 400 * projects * 5,
    by_project_ms: await measure(["project"]),
    by_project_and_agent_ms: await measure(["project", "agent"]),
    by_project_and_day_ms: await measure(["project", "day"]),
  };
  reportSample({ n: 0, failures: 0, figures });
});
