// The units of systemd, read; and by systemd's own checks where it is installed. No service is started.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environmentProblems, missingVariables } from "./environment.ts";

const home = resolve(import.meta.dirname, "..", "..", "deploy", "systemd");

/** The settings of a unit's section `Service`, each with all of its values. */
type Settings = Readonly<Record<string, readonly string[]>>;

function settingsOf(text: string): Settings {
  const settings: Record<string, string[]> = {};
  let section = "";
  for (const line of text.split("\n")) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (name !== undefined) section = name;
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (section !== "Service" || key === undefined || value === undefined) continue;
    settings[key] = [...(settings[key] ?? []), value];
  }
  return settings;
}

const units = readdirSync(home).map((name) => {
  const text = readFileSync(join(home, name), "utf8");
  const settings = settingsOf(text);
  const [path = "", argument] = settings.ExecStart?.[0]?.split(" ") ?? [];
  return { name, text, settings, path, program: argument ?? "runtime" };
});

describe.each(units)("$name", ({ settings, path, program }) => {
  it("starts a program of a packed folder, with variables that it reads and credentials that the unit loads", () => {
    const folder = program === "runtime" ? "policy-guard-runtime" : "policy-guard-control-plane";
    expect(path).toBe(`/opt/${folder}/bin/${folder}`);
    const credentials = (settings.LoadCredential ?? []).map((each) => each.split(":"));
    for (const [name, file] of credentials) expect(file).toBe(`/etc/policy-guard/${name}`);
    const environment = Object.fromEntries(
      (settings.Environment ?? []).map((each) => each.split(/=(.*)/s, 2) as [string, string]),
    );
    const loaded = (value: string) => credentials.some(([name]) => value === `%d/${name}`);
    expect(environmentProblems(program, environment, loaded)).toEqual([]);
    expect(missingVariables(program, environment)).toEqual([]);
    const used = Object.values(environment).filter((value) => value.startsWith("%d/"));
    expect(used.toSorted()).toEqual(credentials.map(([name]) => `%d/${name}`).toSorted());
    expect(settings.EnvironmentFile?.[0]).toMatch(new RegExp(`^-?/etc/policy-guard/(${program}|migration)\\.env$`));
  });

  it("is given time to end, and what it may not lose is kept", () => {
    if (program === "migrate") return;
    expect(settings.TimeoutStopSec).toEqual(["40s"]);
    expect(settings.StateDirectory).toEqual(program === "runtime" ? ["policy-guard-runtime"] : undefined);
  });
});

it("the control plane serves the console that is packed beside it", () => {
  const [plane] = units.filter(({ program }) => program === "control-plane");
  expect(plane?.settings.Environment).toContain("CONSOLE_FOLDER=/opt/policy-guard-control-plane/console");
});

it("there is a unit for each process", () => {
  expect(units.map(({ program }) => program).toSorted()).toEqual(["control-plane", "migrate", "runtime", "worker"]);
});

function hasSystemd(): boolean {
  try {
    const version = execFileSync("systemd-analyze", ["--version"], { encoding: "utf8" });
    // Since 250 it judges units that are not installed.
    return Number(/^systemd (\d+)/.exec(version)?.[1]) >= 250;
  } catch {
    return false;
  }
}

describe.runIf(hasSystemd())("systemd itself", () => {
  let folder: string;
  let paths: string[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "policy-guard-units-"));
    paths = units.map(({ name, text, path }) => {
      // It wants the program to be there.
      writeFileSync(join(folder, name), text.replace(path, "/bin/true"));
      return join(folder, name);
    });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const analyze = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    return { status, output: `${stdout}${stderr}` };
  };

  it("finds nothing wrong", () => {
    expect(analyze("verify", "--man=no", ...paths)).toEqual({ status: 0, output: "" });
  });

  it("finds a setting that is misspelt", () => {
    const wrong = join(folder, "wrong.service");
    writeFileSync(wrong, "[Service]\nExecStart=/bin/true\nProtectHoem=yes\n");
    expect(analyze("verify", "--man=no", wrong).output).toContain("ProtectHoem");
  });

  it("finds little that a service could do", () => {
    for (const path of paths) {
      const { status, output } = analyze("security", "--no-pager", "--offline=yes", "--threshold=20", path);
      expect(status, output).toBe(0);
    }
  });
});
