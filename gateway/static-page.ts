// Answers that no operation makes: the OpenAPI document, the page that shows it, and the short page at "/".

import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { ifNoneMatch } from "../src/kit/entity-tag.ts";
import { createDocsPage } from "./docs/page.ts";
import { sendAnswer } from "./http.ts";
import type { Entry } from "./operation.ts";

/** The entries around an OpenAPI document: itself at /v1/openapi.json, for reading at /docs, and a way there from "/". */
export function createPages(openapi: string): Entry[] {
  const docs = createDocsPage(openapi);
  return [
    createPage("/v1/openapi.json", "application/json; charset=utf-8", openapi, {}),
    createPage("/docs", "text/html; charset=utf-8", docs.html, {
      "content-security-policy": docs.contentSecurityPolicy,
    }),
    createFrontPage("/", "/docs"),
  ];
}

function createPage(path: string, contentType: string, text: string, extra: OutgoingHttpHeaders): Entry {
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  const headers = {
    "content-type": contentType,
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    etag,
    ...extra,
  };
  return {
    route: { verb: "GET", path },
    async serve({ request, response, requestId }) {
      const fresh = ifNoneMatch(request.headers["if-none-match"], etag);
      const own = { ...headers, "x-request-id": requestId };
      if (fresh) sendAnswer(request, response, { status: 304, headers: own, body: undefined });
      else sendAnswer(request, response, { status: 200, headers: own, body: text });
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
