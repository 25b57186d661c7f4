// Serves a built console: one document for every address that is the page's own, and its files, which never change
// under their names. Which addresses and files there are is in the build's console.json; the gateway knows no page.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { join } from "node:path";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { ifNoneMatch } from "../../src/kit/bundle/entity-tag.ts";
import { Fault } from "../../src/kit/fault/fault.ts";
import { sendAnswer } from "../http/http.ts";
import type { Entry, Exchange } from "../route/entry.ts";

/** What a build says of itself, in its console.json. */
export interface ConsoleManifest {
  /** The first segments of the addresses that are the page's own, besides "/". */
  readonly segments: readonly string[];
  /** Media types of the files below assets/, by name. */
  readonly assets: Readonly<Record<string, string>>;
}

/** A built console in memory. */
export interface Console {
  readonly segments: readonly string[];
  readonly document: File;
  readonly assets: ReadonlyMap<string, File>;
}

interface File {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  /** The compressed forms that the build made, the better first. */
  readonly encoded: ReadonlyMap<string, Buffer>;
}

const encodings: readonly (readonly [string, string])[] = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

/** Scripts, styles and calls of this origin and nothing else; no markup from text (WebAppSec CSP 3, Trusted Types). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const documentHeaders: Readonly<OutgoingHttpHeaders> = {
  "cache-control": "no-cache",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

const assetHeaders: Readonly<OutgoingHttpHeaders> = {
  "cache-control": "public, max-age=31536000, immutable",
  "cross-origin-resource-policy": "same-origin",
};

/** A year, as browsers that preload hosts ask for. */
const strictTransport = "max-age=31536000; includeSubDomains";

/** Reads a build. Throws when it is not whole. */
export function readConsole(folder: string): Console {
  const manifest: ConsoleManifest = JSON.parse(readFileSync(join(folder, "console.json"), "utf8"));
  const assets = Object.entries(manifest.assets).map(
    ([name, type]) => [name, readFile(join(folder, "assets", name), type)] as const,
  );
  const document = readFile(join(folder, "index.html"), "text/html; charset=utf-8");
  return { segments: manifest.segments, document, assets: new Map(assets) };
}

function readFile(path: string, type: string): File {
  const plain = readFileSync(path);
  const etag = `"${createHash("sha256").update(plain).digest("base64url")}"`;
  const encoded = encodings.flatMap(([encoding, suffix]) =>
    existsSync(path + suffix) ? [[encoding, readFileSync(path + suffix)] as const] : [],
  );
  return { type, etag, plain, encoded: new Map(encoded) };
}

/** The entries that serve it. `isSecure`: browsers come by TLS, and are told to keep to it. */
export function createConsoleEntries(console: Console, { isSecure }: { readonly isSecure: boolean }): Entry[] {
  const headers = isSecure ? { ...documentHeaders, "strict-transport-security": strictTransport } : documentHeaders;
  const document = (path: string): Entry => ({
    route: { verb: "GET", path },
    async serve(exchange) {
      send(exchange, console.document, headers);
    },
  });
  return [
    document("/"),
    ...console.segments.flatMap((segment) => [document(`/${segment}`), document(`/${segment}/*`)]),
    {
      route: { verb: "GET", path: "/assets/{name}" },
      async serve(exchange) {
        const file = console.assets.get(exchange.params.name ?? "");
        if (file === undefined) throw new Fault(Reason.UNKNOWN_PATH, "this build of the console has no such file");
        send(exchange, file, assetHeaders);
      },
    },
  ];
}

function send({ request, response, requestId }: Exchange, file: File, own: OutgoingHttpHeaders): void {
  const { etag, type, plain, encoded } = file;
  const accepted = acceptedOf(request.headers["accept-encoding"]);
  const [encoding, body] = [...encoded].find(([name]) => accepted.has(name)) ?? [undefined, plain];
  const headers: OutgoingHttpHeaders = {
    ...own,
    "content-type": type,
    etag,
    vary: "accept-encoding",
    "x-request-id": requestId,
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  };
  const isFresh = ifNoneMatch(request.headers["if-none-match"], etag);
  sendAnswer(request, response, isFresh ? { status: 304, headers, body: undefined } : { status: 200, headers, body });
}

/** The encodings that a caller takes; one with weight 0 is refused (RFC 9110, section 12.5.3). */
function acceptedOf(header: string | string[] | undefined): ReadonlySet<string> {
  const parts = [header ?? []].flat().join(",").toLowerCase().split(",");
  return new Set(
    parts.flatMap((part) => {
      const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
      return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name];
    }),
  );
}
