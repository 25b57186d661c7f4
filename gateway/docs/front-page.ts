// The page at "/" of a control plane: what answers here, the first calls, and where everything is described.

import { createHash } from "node:crypto";
import { Html, html } from "../../src/kit/net/html.ts";
import type { Document } from "../openapi/model.ts";
import type { DocsPage } from "./page.ts";

const style = `
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #fff; --soft: #f4f5f7; --line: #d9dde3; --dim: #5b6470; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --fg: #e4e7eb; --bg: #14171b; --soft: #1d2126; --line: #343a42; --dim: #9aa4b0; --link: #7cb7ff; } }
body { margin: 0 auto; max-width: 46rem; padding: 24px 16px; color: var(--fg); background: var(--bg); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 28px 0 4px; font-size: 1.1rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: 12px; white-space: pre-wrap; }
.note { color: var(--dim); }
`;

const publicCall = 'curl "$BASE_URL/v1/hub/detectors?limit=3"';
const ownCall = 'curl "$BASE_URL/v1/orgs/$ORG_ID/policies" -H "Authorization: Bearer $ADMIN_TOKEN"';

/** Makes the page of the server whose OpenAPI document this is. */
export function createFrontPage(openapi: string, { docsPath, documentPath }: FrontPageLinks): DocsPage {
  const { info }: Document = JSON.parse(openapi);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title><link rel="icon" href="data:,"><style>${new Html(style)}</style></head>
<body><main><h1>${info.title}</h1><p class="note">This control plane, version ${info.version}, answers. It stores, tests, signs and ships policies; runtimes evaluate.</p>
<h2>First calls</h2><p>Without a credential: the detectors that policies may use. <code>BASE_URL</code> is the address of this page.</p><pre>${publicCall}</pre>
<p>With one: the policies of an organization. After <code>npm start</code> its id and an admin token are in <code>bootstrap.json</code> in the data folder.</p><pre>${ownCall}</pre>
<h2>Links</h2><ul><li><a href="${docsPath}">API reference</a>: every operation with examples</li>
<li><a href="${documentPath}">OpenAPI document</a>, for generators and tools</li>
<li><a href="/v1/policies/schema">JSON Schema of policies</a>, for editors</li></ul></main></body></html>
`;
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html: page.text, contentSecurityPolicy: policy };
}

/** Where the page leads. */
export interface FrontPageLinks {
  readonly docsPath: string;
  readonly documentPath: string;
}
