// `@policyguard/client`: the typed clients, the guard and the check of webhooks as JavaScript with types, and nothing
// below it but Protobuf and Connect.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Packed, writePackage } from "./folder.ts";
import { readmeOf } from "./readme.ts";

const root = resolve(import.meta.dirname, "..", "..");
const name = "@policyguard/client";
const needed = ["@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-node"];

/** Writes the package into a folder, which may exist only if it is one already. */
export function packClient(folder: string): Promise<Packed> {
  return writePackage(folder, name, write);
}

async function write(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const compiler = join(root, "node_modules", ".bin", "tsc");
  await promisify(execFile)(compiler, ["-p", "tsconfig.client.json", "--outDir", join(folder, "dist")], { cwd: root });
  for (const file of ["LICENSE", "NOTICE"]) cpSync(join(root, file), join(folder, file));
  writeFileSync(join(folder, "README.md"), readmeOf("client.md"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest(): object {
  const product = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const dependencies = needed.map((dependency) => [dependency, `^${product.dependencies[dependency]}`]);
  return {
    name,
    version: product.version,
    description:
      "Guards AI applications with Policy Guard: texts, streams and tool calls. With typed clients and the check of webhooks.",
    license: "SEE LICENSE IN LICENSE",
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    exports: {
      ".": entry("client"),
      "./node": entry("node"),
      "./guard": { types: typesOf("guard"), node: codeOf("guard-node"), default: codeOf("guard") },
      "./webhook": entry("webhook"),
      "./package.json": "./package.json",
      "./*": { types: "./dist/gen/policyguard/*_pb.d.ts", default: "./dist/gen/policyguard/*_pb.js" },
    },
    dependencies: Object.fromEntries(dependencies),
  };
}

function entry(file: string): object {
  return { types: typesOf(file), default: codeOf(file) };
}

function typesOf(file: string): string {
  return `./dist/src/client/${file}.d.ts`;
}

function codeOf(file: string): string {
  return `./dist/src/client/${file}.js`;
}
