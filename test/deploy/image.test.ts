// The Dockerfiles, read line by line: no container engine is needed. What they build runs in
// test/scripts/pack/control-plane.test.ts.

import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { runtimeNodeOptions } from "../../runtime/node-option.ts";
import { environmentProblems } from "./environment.ts";

const root = resolve(import.meta.dirname, "..", "..");
const names = globSync("deploy/image/*.Dockerfile", { cwd: root });

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

function instructionsOf(path: string): Instruction[] {
  const text = readFileSync(join(root, path), "utf8")
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n/g, "");
  return text.split("\n").flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) {
      expect(line, "a line that is no instruction").toBe("");
      return [];
    }
    return [{ name, rest }];
  });
}

/** The instructions of the last stage, which is what is shipped. */
function lastStage(instructions: readonly Instruction[]): Instruction[] {
  return instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
}

it("there is one for the control plane and one for the runtime", () => {
  expect(names.toSorted()).toEqual(["deploy/image/control-plane.Dockerfile", "deploy/image/runtime.Dockerfile"]);
});

describe.each(names)("%s", (path) => {
  const instructions = instructionsOf(path);
  const last = lastStage(instructions);

  it("names its bases by digest, and ends on one without a shell", () => {
    const bases = instructions.filter(({ name }) => name === "FROM").map(({ rest }) => rest);
    for (const base of bases) expect(base).toMatch(/^[a-z0-9./:-]+@sha256:[0-9a-f]{64}( AS [a-z]+)?$/);
    expect(bases).toHaveLength(2);
    expect(bases[1]).toMatch(/^gcr\.io\/distroless\/nodejs24-debian12:nonroot@/);
    // A command in shell form, or one that is run while building, would need a shell.
    expect(last.map(({ name }) => name)).not.toContain("RUN");
    for (const { name, rest } of last) {
      if (name === "ENTRYPOINT" || name === "CMD") expect(Array.isArray(JSON.parse(rest))).toBe(true);
    }
  });

  it("runs as a user with a number, who is not root", () => {
    expect(last.filter(({ name }) => name === "USER")).toEqual([{ name: "USER", rest: "65532:65532" }]);
  });

  it("copies what exists, and takes from the first stage what that one wrote", () => {
    const written = instructions.filter(({ name }) => name === "RUN").map(({ rest }) => rest);
    for (const { rest } of instructions.filter(({ name }) => name === "COPY")) {
      const words = rest.split(" ");
      const flags = words.filter((word) => word.startsWith("--"));
      const sources = words.slice(flags.length, -1);
      for (const source of sources) {
        if (flags.includes("--from=build")) expect(written.some((command) => command.includes(source))).toBe(true);
        else expect(existsSync(join(root, source)), source).toBe(true);
      }
    }
    for (const command of written) {
      for (const [script] of command.matchAll(/scripts\/\S+/g))
        expect(existsSync(join(root, script)), script).toBe(true);
    }
  });

  it("sets variables that its programs read, and no secret", () => {
    const variables = last
      .filter(({ name }) => name === "ENV")
      .flatMap(({ rest }) => rest.split(" ").map((pair) => pair.split("=") as [string, string]));
    const environment = Object.fromEntries(variables);
    const program = path.includes("runtime") ? "runtime" : "control-plane";
    expect(environmentProblems(program, environment, () => false)).toEqual([]);
    expect(environment).toMatchObject({ HOST: "0.0.0.0", MANAGEMENT_HOST: "0.0.0.0" });
    expect(Object.keys(environment).filter((name) => /TOKEN|KEY|SECRET|PASSWORD|_URL$/.test(name))).toEqual([]);
  });

  it("starts what was packed, with the options that Node needs", () => {
    const entry: string[] = JSON.parse(last.find(({ name }) => name === "ENTRYPOINT")?.rest ?? "[]");
    const [node, ...rest] = entry;
    expect(node).toBe("/nodejs/bin/node");
    if (path.includes("runtime")) {
      expect(rest).toEqual([...runtimeNodeOptions, "/opt/policy-guard-runtime/lib/main.js"]);
    } else expect(rest).toEqual(["/opt/policy-guard/lib/program.js"]);
  });
});

it("nothing that is secret, built or only for tests is sent to the builder", () => {
  const ignored = readFileSync(join(root, ".dockerignore"), "utf8").split("\n");
  expect(ignored).toEqual(
    expect.arrayContaining([".git", "**/node_modules", "build", "test", "var", "**/*.key", "deploy/compose/secrets"]),
  );
});
