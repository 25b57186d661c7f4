import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { code, table } from "./table.ts";

const root = dirname(dirname(import.meta.dirname));
const layers = ["rpc", "domain", "store"] as const;

/** The rooms of the control plane, and which layers have each. */
export function controlPlaneRooms(): string {
  const rooms = new Map<string, Set<string>>();
  for (const layer of layers)
    for (const file of globSync(`src/${layer}/*/**/*.ts`, { cwd: root })) {
      const room = file.split("/")[2] ?? "";
      rooms.set(room, (rooms.get(room) ?? new Set()).add(layer));
    }
  const rows = [...rooms].sort(([a], [b]) => (a < b ? -1 : 1));
  return table(
    ["room", ...layers.map((layer) => code(`src/${layer}/`))],
    rows.map(([room, own]) => [code(room), ...layers.map((layer) => (own.has(layer) ? "yes" : ""))]),
  );
}

/** Who imports whom among the folders of the product, as a picture. */
export function layerPicture(): string {
  return picture(["gateway", "runtime", "src"], (file) => {
    const [top = "", second = "", third = ""] = file.split("/");
    if (top === "gen") return undefined;
    if (file.startsWith("runtime/engine/")) return "runtime/engine";
    if (top === "runtime" || top === "gateway") return top;
    // Programs are put together there, and import everything.
    if (third === "") return undefined;
    return file.startsWith("src/domain/analysis/") ? "src/domain/analysis" : `${top}/${second}`;
  });
}

/** Who imports whom among the rooms of the engine, as a picture. */
export function engineRoomPicture(): string {
  return picture(["runtime/engine"], (file) => {
    const [, , room = "", inner = ""] = file.split("/");
    return file.startsWith("runtime/engine/") && inner !== "" ? room : undefined;
  });
}

/**
 * A picture of the folders that `roomOf` names: an arrow for each import, but for those that a chain of others implies.
 */
function picture(folders: readonly string[], roomOf: (file: string) => string | undefined): string {
  const graph = new Map<string, Set<string>>();
  for (const folder of folders)
    for (const file of globSync(`${folder}/**/*.ts`, { cwd: root })) {
      const room = roomOf(file);
      if (room === undefined) continue;
      const targets = graph.get(room) ?? new Set();
      graph.set(room, targets);
      for (const target of importsOf(file).map(roomOf))
        if (target !== undefined && target !== room) targets.add(target);
    }
  const rooms = [...graph.keys()].sort();
  const arrows = rooms.flatMap((from) =>
    direct(graph, from)
      .sort()
      .map((to) => `  ${nodeOf(from)} --> ${nodeOf(to)}`),
  );
  const names = rooms.map((room) => `  ${nodeOf(room)}["${room}"]`);
  return ["```mermaid", "flowchart TD", ...names, ...arrows, "```"].join("\n");
}

/**
 * The rooms that a room imports, but for those to which another of them leads. Rooms that lead to each other keep their
 * arrows.
 */
function direct(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string): string[] {
  const targets = [...(graph.get(from) ?? [])];
  const leads = (a: string, b: string) => reachable(graph, a).has(b);
  return targets.filter(
    (target) =>
      !targets.some((via) => via !== target && leads(via, target) && !leads(target, via) && !leads(via, from)),
  );
}

function reachable(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string): Set<string> {
  const seen = new Set<string>();
  const walk = (room: string) => {
    for (const next of graph.get(room) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      walk(next);
    }
  };
  walk(from);
  return seen;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^(?:import|export)\s[^"';]*?\bfrom\s*"(\.[^"]+)"/gm)].map(([, specifier = ""]) =>
    posix.join(posix.dirname(file), specifier),
  );
}

function nodeOf(room: string): string {
  return room.replaceAll(/[^a-z]/g, "_");
}
