// What the control plane was told of evaluations, and what it kept as evidence.

import { call, inParallel, until } from "../call.ts";
import { uuidOf } from "../input/random.ts";
import { at, isObject, type Json, listAt } from "../json.ts";
import type { Recording } from "../recording.ts";
import type { World } from "../world.ts";
import { answered } from "./evaluations.ts";

const limitMs = 240_000;

/** Waits until the last of the evaluations arrived, then reads some of them. */
export async function recordTraces(world: World, names: readonly string[], recording: Recording): Promise<void> {
  const { orgUrl, facts } = world.installation;
  const token = facts.admin_token;
  await inParallel(names, 2, async (name) => {
    const url = `${orgUrl}/traces/${uuidOf(name)}`;
    const trace = await until(`the trace of ${name}`, limitMs, async () => {
      const answer = await call(url, { token });
      return answer.status === 404 ? undefined : answer;
    });
    recording.add("traces", name, answered(trace));
  });
}

/**
 * Everything that is kept as evidence of the organization, the oldest first. Salts and hashes of leaves are made by
 * chance.
 */
export async function recordEvidence(world: World, recording: Recording): Promise<void> {
  const { orgUrl, facts } = world.installation;
  const entries: Json[] = [];
  for (let offset = 0; ; offset += 200) {
    const { body } = await call(`${orgUrl}/evidence?limit=200&offset=${offset}`, { token: facts.admin_token });
    const page = listAt(body, "evidence");
    entries.push(...page);
    if (page.length < 200) break;
  }
  const shown = entries.map((entry) => {
    if (!isObject(entry)) return "";
    const { action = "", resource = "" } = entry;
    return `${action} ${String(resource).replace(/\/.*/, "")} ${Object.keys(entry).join(" ")}`;
  });
  const counts = Map.groupBy(shown, (line) => line);
  for (const [line, all] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    recording.add("evidence", line, all.length);
}

/** How many evaluations the month has, as the organization is told. */
export async function recordUsage({ installation }: World, recording: Recording): Promise<void> {
  const { body } = await call(`${installation.orgUrl}/usage`, { token: installation.facts.admin_token });
  recording.add("usage", "keys", isObject(body) ? Object.keys(body) : body);
  recording.add("usage", "plan", at(body, "plan") ?? null);
}
