// PostgreSQL refuses to run as root. As root it therefore runs as an unprivileged user; as an ordinary user, as that
// user.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The user that the server's processes run as. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const ownUserName = "policy-guard";

/**
 * The user to run a new cluster as; undefined when this process is not root and the server simply runs as the same
 * user. `create` allows to add the system user `policy-guard`; without it, or where that fails, an existing
 * unprivileged user serves.
 */
export function chooseServerUser({ create }: { readonly create: boolean }): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found =
    findUser(ownUserName) ?? (create ? createUser() : undefined) ?? findUser("postgres") ?? findUser("nobody");
  if (found === undefined) {
    throw new Error(
      `PostgreSQL cannot run as root, and there is neither a user "${ownUserName}" nor "postgres" nor "nobody": create one, run as an ordinary user, or set DATABASE_URL`,
    );
  }
  return found;
}

/** The user with this id, as the owner of an existing cluster. */
export function userOfId(uid: number): ServerUser | undefined {
  return passwd().find((user) => user.uid === uid);
}

/** Whether the user passes this test of sh(1) on the path: "-x" (may enter or execute), "-r", "-w". */
export function userPasses(user: ServerUser | undefined, test: "-x" | "-r" | "-w", path: string): boolean {
  const result = spawnSync("/bin/sh", ["-c", `test ${test} "$1"`, "sh", path], { ...idsOf(user), cwd: "/" });
  return result.status === 0;
}

/** The ids as options of `spawn`; nothing when the server runs as ourselves. */
export function idsOf(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}

function findUser(name: string): ServerUser | undefined {
  return passwd().find((user) => user.name === name && user.uid !== 0);
}

function createUser(): ServerUser | undefined {
  const options = [
    "--system",
    "--user-group",
    "--no-create-home",
    "--home-dir",
    "/nonexistent",
    "--shell",
    "/usr/sbin/nologin",
  ];
  spawnSync("useradd", [...options, ownUserName], { stdio: "ignore" });
  return findUser(ownUserName);
}

function passwd(): ServerUser[] {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length >= 4)
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
