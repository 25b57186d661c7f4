// The digest of detection: what it takes for two programs to find the same in a text. It covers the versions of the
// detectors and of the library below them, and the sources of everything that reads a text, without comments and types,
// so that a change that somebody forgot to give a version is noticed too.

import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { catalog } from "../runtime/engine/detectors/catalog.ts";
import { analysisVersion } from "../runtime/engine/pattern/pattern-facts.ts";

const root = join(import.meta.dirname, "..");

/** The rooms of the engine that findings depend on. */
const rooms = ["backend", "detectors", "languages", "pattern", "scan", "text"];
const files = ["evaluate/split-payloads.ts", "segment/argument.ts", "segment/segment.ts"];

/** The content of gen/engine/detection.json. */
export function printDetectionDigest(): string {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly dependencies: { readonly re2js: string };
  };
  const lines = [
    `analysis ${analysisVersion}`,
    `re2js ${dependencies.re2js}`,
    ...catalog.map(({ id, version }) => `${id} ${version}`),
    ...sources().map((path) => `${path} ${hash("sha256", codeOf(path))}`),
  ];
  return `${JSON.stringify({ digest: hash("sha256", lines.join("\n")).slice(0, 12) })}\n`;
}

function sources(): string[] {
  const engine = join(root, "runtime", "engine");
  const inRooms = rooms.flatMap((room) =>
    readdirSync(join(engine, room), { recursive: true, encoding: "utf8" }).map((path) => `${room}/${path}`),
  );
  return [...inRooms, ...files].filter((path) => /\.(ts|json)$/.test(path)).sort();
}

function codeOf(path: string): string {
  const text = readFileSync(join(root, "runtime", "engine", path), "utf8");
  if (path.endsWith(".json")) return text;
  return transformSync(text, { loader: "ts", legalComments: "none", minifyWhitespace: true }).code;
}
