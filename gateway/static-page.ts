// Answers that no operation makes: the OpenAPI document, the page that shows it, and the short page at "/".

import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { ifNoneMatch } from "../src/kit/entity-tag.ts";
import { createDocsPage } from "./docs/page.ts";
import { sendAnswer } from "./http.ts";
import type { Entry } from "./operation.ts";

/** The entries around an OpenAPI document: itself at /v1/openapi.json, for reading at /docs, and a way there from "/". */
export function createPages(readOpenApi: () => string): Entry[] {
  return [
    createPage("/v1/openapi.json", () => pageOf(readOpenApi(), "application/json; charset=utf-8", {})),
    createPage("/docs", () => {
      const { html, contentSecurityPolicy } = createDocsPage(readOpenApi());
      return pageOf(html, "text/html; charset=utf-8", { "content-security-policy": contentSecurityPolicy });
    }),
    createFrontPage("/", "/docs"),
  ];
}

interface Page {
  readonly text: string;
  readonly etag: string;
  readonly headers: OutgoingHttpHeaders;
}

function pageOf(text: string, contentType: string, extra: OutgoingHttpHeaders): Page {
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  const common = { "content-type": contentType, "cache-control": "no-cache", "referrer-policy": "no-referrer" };
  return { text, etag, headers: { ...common, etag, ...extra } };
}

// Made when it is first asked for: nobody who starts waits for a page.
function createPage(path: string, make: () => Page): Entry {
  let page: Page | undefined;
  return {
    route: { verb: "GET", path },
    async serve({ request, response, requestId }) {
      page ??= make();
      const { text, etag } = page;
      const headers = { ...page.headers, "x-request-id": requestId };
      const fresh = ifNoneMatch(request.headers["if-none-match"], etag);
      if (fresh) sendAnswer(request, response, { status: 304, headers, body: undefined });
      else sendAnswer(request, response, { status: 200, headers, body: text });
    },
  };
}

function createFrontPage(path: string, target: string): Entry {
  const html = `<!doctype html><title>Policy Guard</title><p>Policy Guard. The API is described at <a href="${target}">${target}</a>.`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  };
  return {
    route: { verb: "GET", path },
    async serve({ request, response, requestId }) {
      sendAnswer(request, response, { status: 200, headers: { ...headers, "x-request-id": requestId }, body: html });
    },
  };
}
