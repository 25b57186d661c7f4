// Who may import whom. The table below is the architecture; this test walks every import specifier against it.

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

const layers: readonly Layer[] = [
  { folder: "gen/", ours: [], npm: [protobuf], node: { only: [] } },
  {
    folder: "src/kit/",
    ours: ["gen/"],
    npm: [
      protobuf,
      "@bufbuild/protovalidate",
      connect,
      "@connectrpc/connect-node",
      "ipaddr.js",
      "jose",
      "nodemailer",
      "openid-client",
      "pino",
      "prom-client",
      "qrcode",
      "undici",
    ],
    node: anyNode,
  },
  {
    folder: "gateway/",
    ours: ["gen/", "src/kit/"],
    npm: [protobuf, connect, "@connectrpc/connect-node", "find-my-way"],
    node: anyNode,
  },
  {
    // No clock, no network, no files: everything arrives as an argument.
    folder: "runtime/engine/",
    ours: ["gen/engine/", "gen/policyguard/bundle/", "gen/policyguard/common/", "gen/policyguard/policy/"],
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
  {
    folder: "src/store/",
    ours: ["gen/", "src/kit/"],
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
    folder: "src/domain/",
    ours: ["gen/", "runtime/engine/", "src/kit/", "src/store/"],
    except: services,
    npm: [protobuf, "jose"],
    node: { not: network },
  },
  {
    folder: "src/jobs/",
    ours: ["src/domain/", "src/kit/"],
    npm: ["graphile-worker", "pg", "prom-client"],
    node: { not: network },
  },
  { folder: "src/rpc/", ours: ["gen/", "src/domain/", "src/kit/"], npm: [protobuf, connect], node: { not: network } },
  {
    folder: "src/cli/",
    ours: [
      "gen/",
      "runtime/bundle/activation.ts",
      "runtime/bundle/rejection.ts",
      "runtime/bundle/verify.ts",
      "runtime/engine/",
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
  { folder: "models/", ours: ["runtime/engine/"], npm: [], node: { not: network } },
  {
    folder: "bench/",
    ours: ["gateway/", "gen/", "models/training/", "runtime/", "scripts/", "src/", "test/harness/"],
    npm: "all",
    node: anyNode,
  },
  {
    folder: "test/",
    ours: ["bench/", "gateway/", "gen/", "models/training/", "runtime/", "scripts/", "src/"],
    npm: "all",
    node: anyNode,
  },
];

const root = dirname(import.meta.dirname);
const files = globSync("**/*.ts", { cwd: root, exclude: (name) => /(^|\/)(node_modules|var|dist|\.git)$/.test(name) })
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

test("every imported package is declared, and what the product runs on is no development dependency", () => {
  const manifest: Record<string, Record<string, string>> = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const running = Object.keys(manifest.dependencies ?? {});
  const developing = [...running, ...Object.keys(manifest.devDependencies ?? {})];
  const undeclared = files.flatMap((file) => {
    const declared = /^(test|bench)\//.test(file) ? developing : running;
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
  const text = `import a from "a";\nimport {\n  b,\n} from "b";\nimport "c";\nexport { d } from "d";\nconst e = await import("pg");`;
  expect(specifiersIn(text)).toEqual(["a", "b", "c", "d", "pg"]);
  const layer = layerOf("src/domain/webhook.ts");
  expect(layer?.folder).toBe("src/domain/");
  if (layer === undefined) return;
  const forbidden = [
    "../rpc/webhook.ts",
    "../../gen/x/a_service_pb.ts",
    "@connectrpc/connect",
    "node:http",
    "../main.ts",
  ];
  const objections = forbidden.flatMap((specifier) => objection(layer, "src/domain/webhook.ts", specifier));
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
