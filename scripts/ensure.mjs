// Installs the dependencies when they are not those of package-lock.json. Runs before every npm script that needs them,
// so that one command is enough after `git clone`. Plain JavaScript: it also runs under Node 20, which cannot read
// TypeScript and is what the system may have; the install brings the Node that everything else runs on.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const neededNodeMajor = 24;
const lockLimitMs = 15 * 60_000;

/**
 * Makes `node_modules` of the folder `root` agree with its lock file. Answers whether it had to install.
 * `install` is for tests; `log` gets the lines for the terminal.
 */
export async function ensureDependencies({ root, install = installAll, log = console.error }) {
  const wanted = fingerprint(root);
  if (isCurrent(root, wanted)) return false;
  assertWritable(root);
  const unlock = await lock(join(root, ".ensure-lock"), log);
  try {
    // Another process may have done it while we waited.
    if (isCurrent(root, wanted)) return false;
    log("Installing dependencies (npm ci): under a minute on a good line…");
    await install(root);
    // After the install, because `npm ci` begins by removing node_modules.
    writeFileSync(markerOf(root), wanted);
    return true;
  } finally {
    unlock();
  }
}

function markerOf(root) {
  return join(root, "node_modules", ".policy-guard-lock");
}

/** A digest of all that an install depends on: the lock file, and the platform whose binaries it chose. */
function fingerprint(root) {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  return hash.update(`${process.platform}-${process.arch}`).digest("hex");
}

function isCurrent(root, wanted) {
  const marker = markerOf(root);
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) return true;
  if (!agreesWithLock(root)) return false;
  try {
    writeFileSync(marker, wanted);
  } catch {
    // The folder belongs to another user: the comparison is then made each time.
  }
  return true;
}

/** Whether somebody ran npm by hand: npm leaves a list of what a complete install contains. */
function agreesWithLock(root) {
  const installed = packagesOf(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return false;
  const wanted = packagesOf(join(root, "package-lock.json")) ?? {};
  return Object.entries(wanted).every(([path, { version, optional, integrity }]) => {
    if (path === "") return true;
    const found = installed[path];
    // Packages for other platforms are optional and absent.
    if (found === undefined) return optional === true;
    return found.version === version && found.integrity === integrity;
  });
}

function packagesOf(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : undefined;
}

function assertWritable(root) {
  const modules = join(root, "node_modules");
  for (const folder of existsSync(modules) ? [root, modules] : [root]) {
    try {
      accessSync(folder, constants.W_OK);
    } catch {
      throw new Error(`the dependencies are not those of package-lock.json, and this user may not write to ${folder}`);
    }
  }
}

function installAll(root) {
  npmCi(root, ["--include=dev", "--include=optional"]);
}

/** Installs what the lock file of a folder says. */
export function npmCi(root, options) {
  const { command, prefix, env } = npmOutside(join(root, "node_modules"));
  const parameters = [...prefix, "ci", ...options];
  const { status, error } = spawnSync(command, parameters, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
  if (error !== undefined) throw new Error(`npm could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`npm ci failed with exit code ${status}; its message is above`);
}

/** npm on a Node outside node_modules, because `npm ci` begins by removing the one inside. */
function npmOutside(modules) {
  const inside = (path) => resolve(path).startsWith(modules);
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !inside(folder));
  const env = { ...process.env, PATH: path.join(delimiter) };
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  if (script?.endsWith(".js") && node !== undefined && !inside(node) && existsSync(node)) {
    return { command: node, prefix: [script], env };
  }
  return { command: "npm", prefix: [], env };
}

/**
 * Takes a lock file that holds our process id; waits while a live process has it. Returns a function that releases it.
 */
async function lock(file, log) {
  const own = `${file}.${process.pid}`;
  const deadline = Date.now() + lockLimitMs;
  let told = false;
  writeFileSync(own, String(process.pid));
  try {
    while (!tryLink(own, file)) {
      const holder = removeIfStale(file);
      if (holder !== undefined && !told) log(`Another process (${holder}) is installing dependencies; waiting…`);
      told ||= holder !== undefined;
      if (Date.now() > deadline) throw new Error(`${file} is still held by process ${holder}`);
      await sleep(200);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(file, { force: true });
}

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** The live holder of the lock; undefined when there is none (any more). */
function removeIfStale(file) {
  const holder = readHolder(file);
  if (holder === undefined || isAlive(holder)) return holder;
  const aside = `${file}.stale.${process.pid}`;
  try {
    // Renaming is atomic: of several that find the lock stale, one removes it.
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch {
    // Another process was faster.
  }
  return undefined;
}

function readHolder(file) {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** The version of the Node that npm's scripts will run on. */
function assertNode(root) {
  const own = join(root, "node_modules", ".bin", "node");
  const version = existsSync(own) ? spawnSync(own, ["--version"], { encoding: "utf8" }).stdout : process.version;
  if (Number(/^v(\d+)/.exec(version ?? "")?.[1]) >= neededNodeMajor) return;
  throw new Error(`Node ${neededNodeMajor} or later is needed, and this is ${String(version).trim() || "none"}`);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  try {
    await ensureDependencies({ root });
    assertNode(root);
  } catch (error) {
    console.error(`policy-guard: ${error.message}`);
    process.exit(1);
  }
}
