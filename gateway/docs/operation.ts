// One operation as a section of the page.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Html, html } from "../../src/kit/net/html.ts";
import type {
  Content,
  Document,
  Operation,
  Parameter,
  Reference,
  Response,
  Server,
  WebhookItem,
} from "../openapi/model.ts";
import { fieldNames } from "./field-name.ts";
import { prose } from "./prose.ts";
import { fieldRow, fieldTable, schemaTable, typeOf } from "./schema.ts";

/** An operation with its place in the document. */
export interface Placed {
  readonly verb: string;
  readonly path: string;
  readonly servers: readonly Server[];
  readonly operation: Operation;
}

/** The section of an operation; closed until somebody opens it or follows a link to it. */
export function operationSection(document: Document, { verb, path, servers, operation }: Placed): Html {
  const { operationId, summary, description, parameters, requestBody } = operation;
  const fields = [...fieldNames(document, operation)].join(" ");
  return html`<details class="operation" id="${operationId}" data-search="${`${verb} ${path} ${operationId} ${summary} ${fields}`.toLowerCase()}">
<summary><span class="verb ${verb}">${verb.toUpperCase()}</span> <code class="path">${path}</code> <span class="summary">${summary}</span></summary>
<div class="body">${prose(description)}
<dl class="facts">${facts(operation, servers)}</dl>
${parameters.length === 0 ? html`` : html`<h4>Parameters</h4>${fieldTable(parameters.map(parameterRow))}`}
${requestBody === undefined ? html`` : html`<h4>Request body</h4>${content(document, requestBody.content)}`}
<h4>Answers</h4>${answers(document, operation)}
<h4>Example</h4><pre><code>${curl(document, { verb, path, servers, operation })}</code></pre>${tryIt(document, { verb, path, servers, operation })}</div></details>`;
}

/** A place for the form with which the script calls the operation; where another server answers it, a word on which. */
function tryIt(document: Document, { verb, path, servers, operation }: Placed): Html {
  if (servers !== document.servers) {
    const names = servers.map((server) => server.description).join(", ");
    return html`<p class="note">To try it, open the page like this one of the server that answers it: ${names}.</p>`;
  }
  const namesIn = (place: Parameter["in"]) =>
    operation.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  const query = namesIn("query").join(" ");
  // A page may not send a cookie of its own making.
  const headers = namesIn("header").filter((name) => name !== "Cookie");
  const { type, body } = exampleBody(operation, pretty) ?? { type: "", body: "" };
  return html`<div class="try" data-verb="${verb.toUpperCase()}" data-path="${path}" data-query="${query}" data-headers="${headers.join(" ")}" data-type="${type}" data-body="${body}"></div>`;
}

/** The first form of a request body; lines of JSON stay lines. */
function exampleBody(
  { requestBody }: Operation,
  write: (value: JsonValue) => string,
): { readonly type: string; readonly body: string } | undefined {
  const [first] = Object.entries(requestBody?.content ?? {});
  if (first === undefined) return undefined;
  const [type, { example = "" }] = first;
  if (typeof example === "string") return { type, body: example };
  return { type, body: type.endsWith("ndjson") ? JSON.stringify(example) : write(example) };
}

/** The section of an event: the request that tells of it. */
export function eventSection(document: Document, name: string, { post }: WebhookItem): Html {
  const { summary, description, parameters, requestBody, responses } = post;
  const described = Object.entries(responses).map(
    ([status, response]) => [status, resolve(document, response)] as const,
  );
  return html`<details class="operation" id="event-${name}" data-search="${`${name} ${summary}`.toLowerCase()}">
<summary><span class="verb post">EVENT</span> <code class="path">${name}</code> <span class="summary">${summary}</span></summary>
<div class="body">${prose(description)}
<h4>Headers</h4>${fieldTable(parameters.map(parameterRow))}
<h4>Body</h4>${content(document, requestBody?.content ?? {})}
<h4>What your answer means</h4>${statuses(described)}</div></details>`;
}

function facts(operation: Operation, servers: readonly Server[]): Html {
  const access = operation["x-policy-guard-access"];
  const rows: [string, string][] = [
    ["May call", callers(access)],
    ["Credential", access.public === true ? "none needed" : credentials(operation)],
    ["Served by", servers.map((server) => server.description).join(", ")],
    ["RPC", operation["x-policy-guard-method"]],
    ["Audit entry", operation["x-policy-guard-audit"] ?? ""],
    ["May emit", (operation["x-policy-guard-emits"] ?? []).join(", ")],
  ];
  return html`${rows.filter(([, text]) => text !== "").map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}`;
}

function callers(access: JsonObject): string {
  if (access.public === true) return "anyone";
  const kinds = Array.isArray(access.kinds) ? access.kinds.map(String) : [];
  return kinds
    .map((kind) => (kind === "member" ? `members from ${String(access.least_role)} up` : `${kind} tokens`))
    .join(", ");
}

function credentials(operation: Operation): string {
  const hasKey = operation.security.some((requirement) => "apiKey" in requirement);
  return hasKey ? "Authorization: Bearer … or X-API-Key: …" : "Authorization: Bearer …";
}

function parameterRow(parameter: Parameter): Html {
  const note = parameter.required ? parameter.in : `${parameter.in}, optional`;
  return fieldRow(parameter.name, { ...parameter.schema, description: parameter.description }, { note });
}

function answers(document: Document, { responses }: Operation): Html {
  const entries = Object.entries(responses).map(([status, response]) => [status, resolve(document, response)] as const);
  const good = entries.filter(([status]) => Number(status) < 400);
  const bad = entries.filter(([status]) => Number(status) >= 400);
  return html`${good.map(([status, response]) => success(document, status, response))}
${statuses(bad)}`;
}

function statuses(responses: readonly (readonly [status: string, response: Response])[]): Html {
  return html`<div class="wide"><table><tbody>${responses.map(([status, { description }]) => html`<tr><th scope="row">${status}</th><td>${prose(description)}</td></tr>`)}</tbody></table></div>`;
}

function success(document: Document, status: string, response: Response): Html {
  const headers = Object.keys(response.headers ?? {}).join(", ");
  return html`<h5>${status}</h5>${prose(response.description)}${headers === "" ? html`` : html`<p class="note">Headers: ${headers}</p>`}${response.content === undefined ? html`` : content(document, response.content)}`;
}

function resolve(document: Document, response: Response | Reference): Response {
  if (!("$ref" in response)) return response;
  return document.components.responses[response.$ref.split("/").at(-1) ?? ""] ?? { description: "" };
}

function content(document: Document, types: Content): Html {
  return html`${Object.entries(types).map(([type, { schema, example }]) => {
    const name = typeof schema.$ref === "string" ? (schema.$ref.split("/").at(-1) ?? "") : "";
    const table = schemaTable(document.components.schemas[name] ?? schema);
    const sample = example === undefined ? html`` : html`<pre><code>${pretty(example)}</code></pre>`;
    return html`<p><code>${type}</code> ${typeOf(schema)}</p>${table}${sample}`;
  })}`;
}

function pretty(value: JsonValue): string {
  return JSON.stringify(value, null, 2);
}

function curl(document: Document, { verb, path, servers, operation }: Placed): string {
  const isElsewhere = servers !== document.servers;
  const base = isElsewhere ? "$RUNTIME_URL" : "$BASE_URL";
  const lines = [
    `curl -X ${verb.toUpperCase()} "${base}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}"`,
  ];
  if (operation.security.length > 0) lines.push('-H "Authorization: Bearer $TOKEN"');
  const example = exampleBody(operation, (value) => JSON.stringify(value));
  if (example !== undefined && example.body !== "") {
    lines.push(`-H "Content-Type: ${example.type}"`, `-d '${example.body.replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n  ");
}
