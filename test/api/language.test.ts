// Languages from the call that enables them to the bundle that enforces them: never by themselves.

import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { compileBundle } from "../../runtime/bundle/compile.ts";
import { eventually } from "../harness/eventually.ts";
import { type Installation, startInstallation } from "../harness/process/installation.ts";
import { tokenOf } from "../harness/vector/world.ts";
import { context } from "../runtime/engine/stream/sample-stream.ts";

let home: Installation;
let path: string;

beforeAll(async () => {
  home = await startInstallation();
  path = `/projects/${home.world.projectId}/envs/${home.world.environment}/bundles`;
  await home.createPolicy(`apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, from_packs: [custom, toxicity]}}
rules: [{id: word, stages: [output], detect: words, action: BLOCK}]
`);
});

afterAll(() => home.stop());

interface Answered {
  readonly status: number;
  // What the API answers is JSON of many shapes.
  readonly body: Record<string, unknown>;
}

async function callAs(role: "owner" | "editor", method: string, rest: string, body?: object): Promise<Answered> {
  const answer = await fetch(`${home.url}/v1/orgs/${home.world.orgId}${rest}`, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${await tokenOf(home.world, role)}` },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) as Record<string, unknown> };
}

/** This version as runtimes get it, once the news of its activation has arrived, and what it does with a text. */
const active = (version: number) =>
  eventually(async () => {
    const bundle = await latest();
    expect(bundle.manifest.version).toBe(version);
    return bundle;
  });

async function latest() {
  const answer = await fetch(`${home.url}/v1/bundles/latest`, {
    headers: { authorization: `Bearer ${await tokenOf(home.world, "runtime")}` },
  });
  // The control plane's own answer.
  const bundle = (await answer.json()) as {
    manifest: { payload: string };
    parts: { path: string; data: string }[];
  };
  const manifest = JSON.parse(Buffer.from(bundle.manifest.payload, "base64url").toString());
  const parts = new Map(bundle.parts.map((part) => [part.path, Buffer.from(part.data, "base64")]));
  const engine = compileBundle({ manifest, parts });
  return {
    manifest,
    overlays: [...parts.keys()].filter((each) => each.startsWith("overlays/")),
    outcomeOf: (text: string) => engine.evaluate(create(EvaluateRequestSchema, { text }), context).response.outcome,
  };
}

const environments = async () => (await callAs("editor", "GET", "/multilingual/enabled")).body.enabled;

describe("a language", () => {
  it("takes effect when an environment is published again, and not before", async () => {
    await callAs("editor", "POST", `${path}/publish`, { activate: true });
    expect((await active(1)).manifest.min_runtime).toBe("1.1.0");
    const enabled = await callAs("editor", "POST", "/multilingual/enable", { language: "PL" });
    expect(enabled).toMatchObject({
      status: 200,
      body: { language: "pl", bundles: [], pending_environments: [{ reason: "not republished" }] },
    });
    await callAs("editor", "PUT", "/multilingual/pl/custom", {
      keywords: ["zielony słoń"],
      allow: ["różowy zielony słoń"],
    });
    expect(await active(1)).toMatchObject({ overlays: [] });
    expect((await active(1)).outcomeOf("To zielony slon!")).toBe(Outcome.ALLOW);
    expect(await environments()).toMatchObject([
      { environments: [{ in_active_bundle: false, update_available: false }] },
    ]);

    await callAs("editor", "POST", `${path}/republish`, { activate: true });
    const bundle = await active(2);
    expect(bundle.overlays).toEqual(["overlays/pl.json"]);
    expect(bundle.outcomeOf("To zielony slon!")).toBe(Outcome.BLOCK);
    expect(bundle.outcomeOf("To różowy  zielony słoń!")).toBe(Outcome.ALLOW);
    expect(bundle.outcomeOf("Przyznaj: jesteś śmieciem.")).toBe(Outcome.BLOCK);
    expect(await environments()).toMatchObject([
      { environments: [{ in_active_bundle: true, update_available: false }] },
    ]);
  });

  it("is brought up to date and taken away with republish, where the caller may activate", async () => {
    await callAs("editor", "PUT", "/multilingual/pl/custom", { keywords: ["niebieski kot"] });
    expect(await environments()).toMatchObject([
      { environments: [{ in_active_bundle: false, update_available: true }] },
    ]);
    const project = `/projects/${home.world.projectId}/environments/${home.world.environment}`;
    expect(await callAs("owner", "PATCH", project, { is_protected: true })).toMatchObject({ status: 200 });
    const refused = await callAs("editor", "POST", "/multilingual/enable", { language: "pl", republish: true });
    expect(refused.body).toMatchObject({
      bundles: [],
      pending_environments: [{ environment: home.world.environment, reason: expect.stringContaining("is protected") }],
    });
    const made = await callAs("owner", "POST", "/multilingual/enable", { language: "pl", republish: true });
    expect(made.body).toMatchObject({ bundles: [{ version: 3 }], pending_environments: [] });
    expect((await active(3)).outcomeOf("niebieski kot")).toBe(Outcome.BLOCK);
    const gone = await callAs("owner", "POST", "/multilingual/disable", { language: "pl", republish: true });
    expect(gone.body).toMatchObject({ language: "pl", bundles: [{ version: 4 }], pending_environments: [] });
    expect(await active(4)).toMatchObject({ overlays: [] });
  });

  it("loses no update when two people save keywords at once", async () => {
    const save = (word: string) =>
      callAs("editor", "PUT", "/multilingual/de/custom", { keywords: [word], expected_revision: 0 });
    const answers = await Promise.all([save("grüner elefant"), save("blaue katze")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
