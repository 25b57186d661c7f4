// What is written down of the product: routes, OpenAPI, schemas, catalogs, variables.

import { globSync } from "node:fs";
import { call } from "../call.ts";
import { isObject, type Json, parsed, sorted, textAt } from "../json.ts";
import type { Installation } from "../process/installation.ts";
import type { Runtime } from "../process/runtime.ts";
import type { Recording } from "../recording.ts";

/** Records files and answers that are the product's contract. */
export async function recordContract(
  installation: Installation,
  runtime: Runtime,
  recording: Recording,
): Promise<void> {
  const { checkout, facts } = installation;
  for (const line of checkout.read("gen/rest/routes.txt").split("\n"))
    if (line !== "") recording.add("routes", line, line);
  const files = globSync("schemas/*", { cwd: checkout.root }).toSorted();
  for (const file of files) recording.add("schemas", file, withoutDescriptions(parsed(checkout.read(file))));
  addMembers(recording, "openapi", parsed(checkout.read("gen/rest/openapi.json")));
  addMembers(recording, "openapi-served", (await call(`${facts.base_url}/v1/openapi.json`)).body);
  addMembers(
    recording,
    "openapi-runtime",
    (await call(`${runtime.url}/v1/evaluate/openapi.json`, { token: runtime.token })).body,
  );
  recordVariables(checkout.read("docs/operations.md"), recording);
  const token = facts.admin_token;
  const paths = [
    "hub/detectors?limit=200",
    "hub/packs?limit=200",
    "events",
    "policies/schema",
    "policies/schema?kind=tests",
  ];
  for (const path of paths) {
    const { status, body } = await call(`${facts.base_url}/v1/${path}`, { token });
    recording.add("catalog", path, { status, body });
  }
  const packs = (await call(`${facts.base_url}/v1/hub/packs?limit=200`, { token })).body;
  for (const pack of isObject(packs) && Array.isArray(packs.packs) ? packs.packs : []) {
    const name = textAt(pack, "name") || textAt(pack, "slug") || textAt(pack, "id");
    const { status, body } = await call(`${facts.base_url}/v1/hub/packs/${textAt(pack, "id")}`, { token });
    recording.add("catalog", `pack ${name}`, { status, body });
  }
  const loaded = await call(`${runtime.url}/v1/evaluate/detectors?limit=200`, { token: runtime.token });
  recording.add("catalog", "loaded detectors", loaded.body);
}

/** The members of the second level each as a record: paths, schemas. */
function addMembers(recording: Recording, section: string, document: Json): void {
  if (!isObject(document)) {
    recording.add(section, "document", document);
    return;
  }
  for (const [name, member] of Object.entries(document)) {
    if (!isObject(member)) recording.add(section, name, withoutDescriptions(member));
    else
      for (const [key, part] of Object.entries(member))
        recording.add(section, `${name}/${key}`, withoutDescriptions(part));
  }
}

/** What the words of a document say may change; what it demands may not. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (!isObject(value)) return value;
  const isSaid = ([name, member]: readonly [string, Json]) =>
    !(/^(?:description|summary|title|\$comment)$/.test(name) && typeof member === "string");
  const isExample = ([name]: readonly [string, Json]) => !/^examples?$/.test(name);
  const kept = Object.entries(value).filter((entry) => isSaid(entry) && isExample(entry));
  return sorted(Object.fromEntries(kept.map(([name, member]) => [name, withoutDescriptions(member)])));
}

/** The tables of variables that the page of operations has, without their meanings. */
function recordVariables(page: string, recording: Recording): void {
  for (const [, title = "", table = ""] of page.matchAll(
    /<!-- generated: variables of ([\w ]+?) -->([\s\S]*?)<!-- end/g,
  )) {
    const [head = [], , ...rows] = table.trim().split("\n").map(cellsOf);
    const meaning = head.indexOf("meaning");
    for (const row of rows)
      recording.add(
        "variables",
        `${title} ${row[0]}`,
        row.filter((_, index) => index !== meaning),
      );
  }
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
