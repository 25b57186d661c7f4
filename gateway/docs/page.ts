// The page that shows the OpenAPI document. It is made once, at start, from the document alone, and loads nothing: its
// policy allows exactly the one style and the one script that it carries.

import { createHash } from "node:crypto";
import { Html, html } from "../../src/kit/net/html.ts";
import { type Document, operationKeys, type Server } from "../openapi/model.ts";
import { eventSection, operationSection, type Placed } from "./operation.ts";
import { prose } from "./prose.ts";
import { schemaTable } from "./schema.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

/** The page and the policy that it is served with. */
export interface DocsPage {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** Makes the page of an OpenAPI document, which is served at `documentPath`. */
export function createDocsPage(openapi: string, documentPath: string): DocsPage {
  const document: Document = JSON.parse(openapi);
  const tasks = tasksOf(document);
  const hasEvents = Object.keys(document.webhooks).length > 0;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} API</title><link rel="icon" href="data:,"><style>${new Html(style)}</style></head>
<body><a class="skip" href="#main">To the operations</a>
<nav aria-label="Operations"><div class="bar"><label><span class="note">Search paths, names and fields ( / )</span><input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<button id="menu" type="button" aria-expanded="false" aria-controls="list" hidden>Menu</button></div>
<div class="list" id="list">${tasks.map(taskList)}<h2>Reference</h2><ul>${hasEvents ? html`<li><a href="#events">Events</a></li>` : html``}<li><a href="#schemas">Schemas</a></li><li><a href="${documentPath}">openapi.json</a></li></ul></div></nav>
<main id="main"><h1>${document.info.title} API</h1><div id="intro"><p class="note">Version ${document.info.version}, OpenAPI ${document.openapi}</p>${prose(document.info.description)}</div>
${tokenField}
<p id="nothing" role="status" hidden>Nothing has these words in its path, name, summary or fields.</p>
${tasks.map((task) => taskSection(document, task))}
${hasEvents ? html`<section data-group><h2 id="events">Events</h2>${prose(aboutEvents)}${events(document)}</section>` : html``}
<section data-group><h2 id="schemas">Schemas</h2>${schemas(document)}</section></main>
<script>${new Html(script)}</script></body></html>
`;
  return { html: page.text, contentSecurityPolicy: policy() };
}

function policy(): string {
  return [
    "default-src 'none'",
    `style-src '${hash(style)}'`,
    `script-src '${hash(script)}'`,
    // Calls that readers try go to the server of the page.
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Placed[];
}

function groupsOf(document: Document): Group[] {
  const placed = Object.entries(document.paths).flatMap(([path, item]) => {
    const servers: readonly Server[] = item.servers ?? document.servers;
    return operationKeys.flatMap((verb) => {
      const operation = item[verb];
      return operation === undefined ? [] : [{ verb, path, servers, operation }];
    });
  });
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: placed.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** Groups that serve one purpose. */
interface Task {
  readonly name: string;
  readonly groups: readonly Group[];
}

function tasksOf(document: Document): Task[] {
  const groups = new Map(groupsOf(document).map((group) => [group.name, group]));
  return document["x-tagGroups"].map(({ name, tags }) => ({
    name,
    groups: tags.flatMap((tag) => groups.get(tag) ?? []),
  }));
}

// Only where there is a script, since calls are made by it.
const tokenField = html`<p id="credentials" hidden><label for="token">Token for calls that you try</label> <input id="token" type="password" autocomplete="off" spellcheck="false"><span class="note">Kept in the memory of this page, and gone when you leave it.</span></p>`;

function taskList({ name, groups }: Task): Html {
  return html`<div data-group><h2>${name}</h2>${groups.map(groupList)}</div>`;
}

function groupList({ name, operations }: Group): Html {
  const items = operations.map(
    ({ operation, verb }) =>
      html`<li data-of="${operation.operationId}"><a href="#${operation.operationId}"><span class="dot ${verb}"></span>${operation.operationId}</a></li>`,
  );
  return html`<div data-group><h3>${name}</h3><ul>${items}</ul></div>`;
}

function taskSection(document: Document, { name, groups }: Task): Html {
  return html`<section data-group><h2>${name}</h2>${groups.map((group) => groupSection(document, group))}</section>`;
}

function groupSection(document: Document, { name, description, operations }: Group): Html {
  return html`<section data-group><h3>${name}</h3>${prose(description)}${operations.map((placed) => operationSection(document, placed))}</section>`;
}

const aboutEvents = "Requests that the server sends to webhooks.";

function events(document: Document): Html {
  const sections = Object.entries(document.webhooks).map(([name, item]) => eventSection(document, name, item));
  return html`${sections}`;
}

function schemas(document: Document): Html {
  const sections = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      html`<details class="schema" id="schema-${name}" data-search="${name.toLowerCase()}"><summary><code>${name}</code></summary><div class="body">${prose(String(schema.description ?? ""))}${schemaTable(schema)}</div></details>`,
  );
  return html`${sections}`;
}
