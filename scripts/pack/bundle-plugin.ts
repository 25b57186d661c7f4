// What esbuild is told about JSON and about Node's own modules, for programs that are packed.

import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

/**
 * Reads JSON by JSON.parse: a literal of a megabyte would be parsed as JavaScript, which takes several times as long.
 */
export const jsonAsText: Plugin = {
  name: "json-as-text",
  setup(builder) {
    builder.onLoad({ filter: /\.json$/ }, ({ path }) => {
      const compact = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      // As CommonJS, which packages may require as well as import.
      return { contents: `module.exports = JSON.parse(${JSON.stringify(compact)});`, loader: "js" };
    });
  },
};

/**
 * Requires Node's modules: an import reads all exports of one, which makes `node:http` load the whole of fetch. With
 * `require`, an export is read when it is used.
 */
export const nodeAsRequired: Plugin = {
  name: "node-as-required",
  setup(builder) {
    const namespace = "node";
    builder.onResolve({ filter: /^/ }, ({ path }) => (isBuiltin(path) ? { path, namespace } : undefined));
    builder.onLoad({ filter: /^/, namespace }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};
