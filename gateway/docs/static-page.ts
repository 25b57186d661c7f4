// Answers that no operation makes: the OpenAPI document, the page that shows it, and a short page at "/".

import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { ifNoneMatch } from "../../src/kit/bundle/entity-tag.ts";
import { type Console, createConsoleEntries } from "../console/console-page.ts";
import { compressed } from "../http/compression.ts";
import { sendAnswer } from "../http/http.ts";
import type { Entry } from "../route/entry.ts";
import { createFrontPage } from "./front-page.ts";
import { createDocsPage, type DocsPage } from "./page.ts";

/** An OpenAPI document, and the paths that show it. */
export interface Pages {
  readonly openApi: () => string;
  /** The path of the document. */
  readonly documentPath: string;
  /** The path of the page for reading it. */
  readonly docsPath: string;
  /** Whether a short page at "/" leads there. Where there is a console, that is at "/". */
  readonly hasFrontPage: boolean;
  /** A built console, and whether browsers come by TLS. */
  readonly console?: { readonly build: Console; readonly isSecure: boolean } | undefined;
  /** Further pages, each under a path that may have fields. */
  readonly others?: readonly (DocsPage & { readonly path: string })[];
}

/** The entries around an OpenAPI document. */
export function createPages({ openApi, documentPath, docsPath, hasFrontPage, console, others = [] }: Pages): Entry[] {
  return [
    createPage(documentPath, () => pageOf(openApi(), "application/json; charset=utf-8", {})),
    createPage(docsPath, () => htmlPageOf(createDocsPage(openApi(), documentPath))),
    ...(console === undefined ? [] : createConsoleEntries(console.build, console)),
    ...(hasFrontPage && console === undefined
      ? [createPage("/", () => htmlPageOf(createFrontPage(openApi(), { docsPath, documentPath })))]
      : []),
    ...others.map((page) => createPage(page.path, () => htmlPageOf(page))),
  ];
}

interface Page {
  readonly text: string;
  readonly etag: string;
  readonly headers: OutgoingHttpHeaders;
}

function htmlPageOf({ html, contentSecurityPolicy }: DocsPage): Page {
  return pageOf(html, "text/html; charset=utf-8", { "content-security-policy": contentSecurityPolicy });
}

function pageOf(text: string, contentType: string, extra: OutgoingHttpHeaders): Page {
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  const common = {
    "content-type": contentType,
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
  };
  return { text, etag, headers: { ...common, etag, ...extra } };
}

// A page is made when it is first asked for, so that the start of the process does not wait for it.
function createPage(path: string, make: () => Page): Entry {
  let page: Page | undefined;
  return {
    route: { verb: "GET", path },
    async serve({ request, response, requestId }) {
      page ??= make();
      const { text, etag } = page;
      const headers = { ...page.headers, "x-request-id": requestId };
      if (ifNoneMatch(request.headers["if-none-match"], etag)) {
        sendAnswer(request, response, { status: 304, headers, body: undefined });
        return;
      }
      const accepted = [request.headers["accept-encoding"] ?? []].flat().join(",");
      // The reference has some megabytes, which are a tenth of that on the wire.
      sendAnswer(request, response, await compressed({ status: 200, headers, body: text }, accepted));
    },
  };
}
