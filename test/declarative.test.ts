// Declarative clients, such as a Terraform provider, can manage every resource of an organization: the resources are
// found in the routes, and each is made as the vectors of its creation make it.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAssurance, reportSample, shareOf } from "../scripts/assurance/sample.ts";
import { faultsOf } from "./harness/declarative/check.ts";
import { type Resource, resources } from "./harness/declarative/resource.ts";
import { createRunningClock } from "./harness/moved-clock.ts";
import { startDnsServer } from "./harness/net/dns-server.ts";
import { startTestControlPlane } from "./harness/process/control-plane.ts";
import { callName } from "./harness/vector/dialect.ts";
import type { Stage } from "./harness/vector/scene-step.ts";
import { type NamedVector, readVectors } from "./harness/vector/vector.ts";

/** What does not hold, by resource, rule and field, and why it stays so. docs/declarative.md tells it to readers. */
const exceptions: Readonly<Record<string, string>> = {
  "/policies/{policy_id} again: version": "each update is a version of its own, with its author and message",
  "/policies/{policy_id} again: updated_at": "as the version",
  "/policies/{policy_id} again: it": "as the version",
  "/sso again: updated_at": "a secret that is given may be another one",
  "/sso again: it": "a secret that is given may be another one",
  "/tokens/{token_id} by /tokens/admin echo: never_expires": "is read as expires_at: null",
  "/projects/{project_id}/envs/{env_name}/overrides/{override_id} echo: hours": "is read as expires_at",
  "/webhooks/{webhook_id} echo: generate_secret": "is read as has_secret",
  "/webhooks/{webhook_id} echo: url": "is read as it is called",
  "/webhooks/{webhook_id} echo: events": "an event that is named twice is read once",
  "/projects/{project_id}/envs/{env_name}/gates echo: gates": "languages are read as packs name them",
  "/multilingual/{language}/custom echo: keywords": "a keyword that is written as a text is read as an object",
  "/traces/{trace_id}/annotations/{annotation_id} echo: annotator": "is read with its kind",
  "/traces/{trace_id}/annotations/{annotation_id} again: revision": "each judgement is one, even if it is the same",
  "/traces/{trace_id}/annotations/{annotation_id} again: created_at": "as the revision",
  "/traces/{trace_id}/annotations/{annotation_id} again: UpdateAnnotation": "only who judged changes it",
  "/replays/{replay_id} echo: document": "a run answers what came of it, and not all that it was given",
  "/benchmarks/{benchmark_id} echo: sweep": "a run answers what came of it, and not all that it was given",
};

/** Creations of a resource that the suite plays; `npm run assurance -- declarative` plays all. */
const creationsOfSuite = 2;

const vectors = readVectors(join(import.meta.dirname, "vectors", "control"));

describe("a declarative client", () => {
  const clock = createRunningClock();
  let stage: Stage;
  let closeDns: () => Promise<void>;
  let played = 0;
  let failed = 0;

  beforeAll(async () => {
    const dns = await startDnsServer();
    dns.names.set("hooks.example.com", ["93.184.216.34"]).set("xn--lok-sed.example.com", ["93.184.216.34"]);
    closeDns = () => dns.close();
    const env = { POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8", POLICY_GUARD_DNS_SERVERS: dns.address };
    const variables = { sink_url: "http://127.0.0.1:1/" };
    stage = { plane: await startTestControlPlane({ clock, env, variables }), clock, dns };
  });

  afterAll(async () => {
    await stage.plane.stop();
    await closeDns();
    reportSample({ n: played, failures: failed });
  });

  it.each(resources().map((resource) => [resource.name, resource] as const))("can manage %s", async (_, resource) => {
    const found: Record<string, string[]> = {};
    for (const { name, vector } of creationsOf(resource)) found[name] = await faultsOf(stage, resource, vector);
    expect(Object.keys(found)).not.toEqual([]);
    const faults = Object.values(found).flat();
    const unexpected = faults.filter((fault) => !(`${resource.name} ${ruleAndField(fault)}` in exceptions));
    played += Object.keys(found).length;
    failed += unexpected.length;
    expect(unexpected, JSON.stringify(found, undefined, 2)).toEqual([]);
  });
});

/** What a fault is about, without what was found: "again: version". */
function ruleAndField(fault: string): string {
  return fault.split(" ", 2).join(" ");
}

function creationsOf({ create }: Resource): NamedVector[] {
  const all = vectors.filter(
    ({ vector: { call, want, installation } }) =>
      call?.method === callName(create.method) &&
      call.rawBody === undefined &&
      installation === "" &&
      want?.status === create.facts.successStatus,
  );
  if (isAssurance()) return all;
  return all.toSorted((a, b) => shareOf(a.name) - shareOf(b.name)).slice(0, creationsOfSuite);
}
