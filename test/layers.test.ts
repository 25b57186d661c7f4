// Who may import whom. The table below is the architecture; this test walks every import specifier against it. Nor may
// files import each other in a circle.

import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, posix } from "node:path";
import { expect, test } from "vitest";

/** What the files of one folder may import. The longest folder that contains a file decides. */
interface Layer {
  readonly folder: string;
  /** Our own folders and files. Files may always import files of their own layer. */
  readonly ours: readonly string[];
  /** Exceptions to `ours`. */
  readonly except?: RegExp;
  /** npm packages. "all" for what runs nowhere but on our own machines. */
  readonly npm: readonly string[] | "all";
  /** Modules of Node: those named, or all but those named. */
  readonly node: { readonly only: readonly string[] } | { readonly not: readonly string[] };
}

const services = /_service_pb\.ts$/;
const network = ["node:http", "node:http2", "node:https", "node:net", "node:tls", "node:dgram"];
const anyNode = { not: [] };
const protobuf = "@bufbuild/protobuf";
const connect = "@connectrpc/connect";

const connectQuery = "@connectrpc/connect-query";
const react = ["react", "@tanstack/react-query", "@tanstack/react-router"];
const codemirror = [
  "autocomplete",
  "commands",
  "lang-yaml",
  "language",
  "lint",
  "merge",
  "search",
  "state",
  "view",
].map((name) => `@codemirror/${name}`);

const layers: readonly Layer[] = [
  { folder: "gen/", ours: [], npm: [protobuf], node: { only: [] } },
  {
    folder: "src/kit/",
    ours: ["gen/", "src/kit/telemetry/otlp/"],
    npm: [
      protobuf,
      "@bufbuild/protovalidate",
      connect,
      "@connectrpc/connect-node",
      "ipaddr.js",
      "jose",
      "pino",
      "prom-client",
      "undici",
    ],
    node: anyNode,
  },
  // Loaded where an operator named a collector, and by nothing else.
  {
    folder: "src/kit/telemetry/otlp/",
    ours: ["src/kit/"],
    npm: [
      "@opentelemetry/api",
      "@opentelemetry/exporter-trace-otlp-http",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace",
    ],
    node: { only: [] },
  },
  {
    folder: "gateway/",
    ours: ["gen/", "src/kit/"],
    npm: [protobuf, connect, "@connectrpc/connect-node", "find-my-way"],
    node: anyNode,
  },
  {
    // No clock, no network, no files: everything arrives as an argument. The one file of `src/kit`, which imports
    // nothing, is there so that the project has one bounded cache.
    folder: "runtime/engine/",
    ours: [
      "gen/engine/",
      "gen/policyguard/bundle/",
      "gen/policyguard/common/",
      "gen/policyguard/policy/",
      "src/kit/process/bounded-cache.ts",
    ],
    // Word lists and numbering plans of their maintainers are data that the detectors are made of.
    npm: [protobuf, "@marcbachmann/cel-js", "ajv", "libphonenumber-js", "naughty-words", "re2js", "yaml"],
    node: { only: ["node:crypto"] },
  },
  {
    folder: "runtime/",
    ours: ["gateway/", "gen/", "runtime/engine/", "src/kit/"],
    npm: [protobuf, connect, "@connectrpc/connect-node", "jose", "prom-client", "undici"],
    node: anyNode,
  },
  // What only the control plane needs, whatever its nouns are.
  {
    folder: "src/platform/",
    ours: ["gen/", "src/kit/"],
    npm: [protobuf, connect, "jose", "nodemailer", "openid-client", "qrcode", "stripe"],
    node: anyNode,
  },
  {
    folder: "src/store/",
    ours: ["gen/", "src/kit/", "src/platform/"],
    except: services,
    npm: [
      protobuf,
      "@mikro-orm/core",
      "@mikro-orm/migrations",
      "@mikro-orm/postgresql",
      "@mikro-orm/sql",
      "graphile-worker",
      "pg",
    ],
    node: { not: network },
  },
  {
    // What runs in processes of its own: no database, so that they start soon and hold nothing.
    folder: "src/domain/analysis/",
    ours: ["gen/", "runtime/engine/", "src/kit/", "src/platform/"],
    except: services,
    npm: [protobuf],
    node: { not: network },
  },
  {
    folder: "src/domain/",
    ours: ["gen/", "runtime/engine/", "src/domain/analysis/", "src/kit/", "src/platform/", "src/store/"],
    except: services,
    npm: [protobuf, "jose"],
    node: { not: network },
  },
  {
    folder: "src/jobs/",
    ours: ["src/domain/", "src/kit/", "src/platform/"],
    npm: ["graphile-worker", "pg", "prom-client"],
    node: { not: network },
  },
  {
    folder: "src/rpc/",
    ours: ["gen/", "src/domain/", "src/kit/", "src/platform/"],
    npm: [protobuf, connect],
    node: { not: network },
  },
  {
    folder: "src/cli/",
    ours: [
      "gen/",
      "runtime/bundle/activation.ts",
      "runtime/bundle/rejection.ts",
      "runtime/bundle/verify.ts",
      "runtime/bundle/version.ts",
      "runtime/engine/",
      // The contracts of detector backends, which judges speak too.
      "runtime/evaluate/backend/answer.ts",
      "runtime/evaluate/backend/contract.ts",
      "runtime/evaluate/backend/shape.ts",
      // Models are checked on the command line by the code that runs them.
      "runtime/model-host/addon.ts",
      "runtime/model-host/load-failure.ts",
      "runtime/model-host/model.ts",
      "src/client/",
      "src/kit/",
    ],
    npm: [protobuf, connect, "@connectrpc/connect-node", "yaml"],
    node: anyNode,
  },
  {
    // What others install. Nothing of Node: it runs in browsers too, but for the one file that says so.
    folder: "src/client/",
    ours: ["gen/"],
    npm: [protobuf, connect, "@connectrpc/connect-node"],
    node: { only: [] },
  },
  // Where processes are put together. Nothing above may import these files.
  { folder: "src/", ours: ["gateway/", "gen/", "runtime/engine/", "src/"], npm: "all", node: anyNode },
  {
    folder: "scripts/",
    ours: ["gateway/", "gen/", "runtime/", "src/", "test/harness/totals.ts"],
    npm: "all",
    node: anyNode,
  },
  {
    // Looks at an installation in the browser that tests look for.
    folder: "scripts/pictures/",
    ours: ["scripts/compare/", "test/harness/browser/browser.ts"],
    npm: ["playwright-core"],
    node: anyNode,
  },
  {
    // Knows the two versions by what they answer. Its texts are those that detectors are measured on.
    folder: "scripts/compare/",
    ours: [
      "bench/detection/",
      "models/training/",
      "runtime/engine/authoring/seeded-random.ts",
      "test/harness/vector/placeholder.ts",
    ],
    npm: ["pg", "yaml"],
    node: anyNode,
  },
  // The page. What browsers load is built from it; it shares nothing with the server but the generated clients.
  { folder: "console/", ours: ["console/"], npm: "all", node: { only: [] } },
  { folder: "console/app/", ours: ["console/", "gen/"], npm: [...react, protobuf, connectQuery], node: { only: [] } },
  {
    folder: "console/page/",
    ours: ["console/chart/", "console/data/", "console/editor/", "console/part/", "console/text/", "gen/"],
    npm: [...react, protobuf, connect, connectQuery],
    node: { only: [] },
  },
  {
    folder: "console/editor/",
    ours: ["console/part/", "console/text/"],
    npm: [...react, "@lezer/highlight", ...codemirror],
    node: { only: [] },
  },
  { folder: "console/chart/", ours: ["console/part/", "console/text/"], npm: [...react], node: { only: [] } },
  {
    folder: "console/part/",
    ours: ["console/data/failure.ts", "console/text/"],
    npm: [...react, protobuf],
    node: { only: [] },
  },
  {
    folder: "console/data/",
    ours: ["console/part/judgement/outcome-name.ts", "console/part/judgement/span.ts", "console/text/", "gen/"],
    npm: [...react, protobuf, connect, connectQuery, "@connectrpc/connect-web"],
    node: { only: [] },
  },
  { folder: "console/text/", ours: [], npm: [protobuf], node: { only: [] } },
  { folder: "models/", ours: ["runtime/engine/", "src/kit/crypto/text-hash.ts"], npm: [], node: { not: network } },
  {
    folder: "bench/",
    ours: ["gateway/", "gen/", "models/training/", "runtime/", "scripts/", "src/", "test/harness/"],
    npm: "all",
    node: anyNode,
  },
  {
    folder: "test/",
    ours: ["bench/", "console/", "gateway/", "gen/", "models/training/", "runtime/", "scripts/", "src/"],
    npm: "all",
    node: anyNode,
  },
];

const root = dirname(import.meta.dirname);
const files = globSync("**/*.{ts,tsx}", {
  cwd: root,
  exclude: (name) => /(^|\/)(node_modules|var|dist|build|\.git)$/.test(name),
})
  .filter((file) => file !== "vitest.config.ts")
  .toSorted();

test("every TypeScript file lies in a folder that the table knows", () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => layerOf(file) === undefined)).toEqual([]);
});

test.each(layers.map((layer) => [layer.folder, layer] as const))(
  "%s imports only what the table allows",
  (_, layer) => {
    const own = files.filter((file) => layerOf(file) === layer);
    expect(own.flatMap((file) => importsOf(file).flatMap((specifier) => objection(layer, file, specifier)))).toEqual(
      [],
    );
  },
);

test("no files import each other in a circle, not even by types", () => {
  const graph = new Map(files.map((file) => [file, importsOf(file)]));
  expect(circlesIn(graph)).toEqual([]);
});

test("no rooms import each other in a circle, their house's own files counted as a room", () => {
  expect(new Set(files.map(roomOf)).size).toBeGreaterThan(50);
  expect(circlesIn(roomsOf(files, importsOf))).toEqual([]);
});

test("the walk sees circles of rooms where no files have one", () => {
  const imports: Record<string, string[]> = {
    "src/domain/a/one.ts": ["../b/two.ts"],
    "src/domain/b/two.ts": [],
    "src/domain/b/three.ts": ["../a/four.ts"],
    "src/domain/a/four.ts": [],
    "runtime/start.ts": ["./stream/line.ts", "./engine/engine.ts"],
    "runtime/stream/line.ts": ["../engine/text/fold.ts"],
  };
  const graph = roomsOf(Object.keys(imports), (file) => imports[file] ?? []);
  expect(circlesIn(graph)).toEqual(["src/domain/a imports src/domain/b imports src/domain/a"]);
});

test("no folder of the product has more than forty files", () => {
  const counts = new Map<string, number>();
  for (const file of files.filter((file) => /^(src|runtime|gateway|scripts)\//.test(file)))
    counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 40)).toEqual([]);
});

test("the walk sees circles", () => {
  const graph = new Map([
    ["src/a.ts", ["./b/b.ts"]],
    ["src/b/b.ts", ["pg", "./c.ts"]],
    ["src/b/c.ts", ["../a.ts"]],
    ["src/d.ts", ["./a.ts", "./f.ts", "./e.ts"]],
    ["src/e.ts", ["./f.ts"]],
    ["src/f.ts", []],
    ["src/g.ts", ["./g.ts"]],
  ]);
  expect(circlesIn(graph)).toEqual([
    "src/a.ts imports src/b/b.ts imports src/b/c.ts imports src/a.ts",
    "src/g.ts imports src/g.ts",
  ]);
});

test("every imported package is declared, and those of the product are not development dependencies", () => {
  const manifest: Record<string, Record<string, string>> = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const running = Object.keys(manifest.dependencies ?? {});
  const developing = [...running, ...Object.keys(manifest.devDependencies ?? {})];
  const undeclared = files.flatMap((file) => {
    // What browsers get is built, so none of it runs from its packages.
    const declared = /^(test|bench|console|scripts\/(?:console|pictures))\//.test(file) ? developing : running;
    const packages = importsOf(file).filter((specifier) => !specifier.startsWith(".") && !isBuiltin(specifier));
    return packages.filter((name) => !declared.includes(packageOf(name))).map((name) => `${file} imports ${name}`);
  });
  expect(undeclared).toEqual([]);
});

test("the engine reads no clock, no environment and no network", () => {
  const forbidden = /\b(?:Date\.now|performance\.|process\.|fetch\(|setTimeout|setInterval|Math\.random)|new Date\(\)/;
  const engine = files.filter((file) => file.startsWith("runtime/engine/"));
  expect(engine.length).toBeGreaterThan(0);
  expect(engine.filter((file) => forbidden.test(readFileSync(join(root, file), "utf8")))).toEqual([]);
});

test("the walk sees every form of import, and the table forbids", () => {
  const text = `import a from "a";\nimport {\n  b,\n} from "b";\nimport "c";\nexport { d } from "d";\nimport type { t } from "t";\nconst e = await import("pg");`;
  expect(specifiersIn(text)).toEqual(["a", "b", "c", "d", "t", "pg"]);
  const layer = layerOf("src/domain/webhook/webhook.ts");
  expect(layer?.folder).toBe("src/domain/");
  if (layer === undefined) return;
  const forbidden = [
    "../../rpc/webhook/webhook.ts",
    "../../../gen/x/a_service_pb.ts",
    "@connectrpc/connect",
    "node:http",
    "../../main.ts",
  ];
  const objections = forbidden.flatMap((specifier) => objection(layer, "src/domain/webhook/webhook.ts", specifier));
  expect(objections).toHaveLength(forbidden.length);
});

function layerOf(file: string): Layer | undefined {
  const containing = layers.filter(({ folder }) => file.startsWith(folder));
  return containing.toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

function importsOf(file: string): string[] {
  return specifiersIn(readFileSync(join(root, file), "utf8"));
}

function specifiersIn(text: string): string[] {
  const forms = /^(?:import|export)\s[^"';]*?\bfrom\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
  return [...text.matchAll(forms)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** Folders whose folders are rooms. */
const houses = [
  ...["src/domain/", "src/store/", "src/rpc/", "src/kit/", "src/platform/", "src/"],
  ...["gateway/", "runtime/engine/", "runtime/"],
];

/** The room of a file, such as "src/domain/bundle"; the house itself for a file that lies directly in it. */
function roomOf(file: string): string | undefined {
  const house = houses.find((prefix) => file.startsWith(prefix));
  return house === undefined ? undefined : house + (file.slice(house.length).match(/^[^/]+(?=\/)/)?.[0] ?? "house");
}

/** Which rooms import which, in the form that `circlesIn` reads. */
function roomsOf(
  all: readonly string[],
  imports: (file: string) => readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, string[]>();
  for (const file of all) {
    const room = roomOf(file);
    if (room === undefined) continue;
    const targets = imports(file).filter((specifier) => specifier.startsWith("."));
    const others = targets.map((specifier) => roomOf(posix.join(posix.dirname(file), specifier)));
    const known = graph.get(room) ?? [];
    for (const other of others)
      if (other !== undefined && other !== room) known.push(`./${posix.relative(posix.dirname(room), other)}`);
    graph.set(room, known);
  }
  return graph;
}

/**
 * The circles of a graph of files and their specifiers, at least one in each knot of files; none when there is none.
 */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const walk = (file: string) => {
    if (done.has(file)) return;
    const begin = way.indexOf(file);
    if (begin >= 0) {
      circles.push([...way.slice(begin), file].join(" imports "));
      return;
    }
    way.push(file);
    for (const specifier of graph.get(file) ?? []) {
      const target = posix.join(posix.dirname(file), specifier);
      if (specifier.startsWith(".") && graph.has(target)) walk(target);
    }
    way.pop();
    done.add(file);
  };
  for (const file of graph.keys()) walk(file);
  return circles;
}

/** What is wrong with the import, as a list of none or one. */
function objection(layer: Layer, file: string, specifier: string): string[] {
  return isAllowed(layer, file, specifier) ? [] : [`${file} imports ${specifier}`];
}

function isAllowed(layer: Layer, file: string, specifier: string): boolean {
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(file), specifier);
    if (layerOf(target) === layer) return true;
    return layer.ours.some((prefix) => target.startsWith(prefix)) && !layer.except?.test(target);
  }
  if (isBuiltin(specifier)) {
    return "only" in layer.node ? layer.node.only.includes(specifier) : !layer.node.not.includes(specifier);
  }
  return layer.npm === "all" || layer.npm.includes(packageOf(specifier));
}

function packageOf(specifier: string): string {
  const depth = specifier.startsWith("@") ? 2 : 1;
  return specifier.split("/").slice(0, depth).join("/");
}
