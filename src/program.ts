// The control plane's programs by one name each, for an image that has neither npm nor a shell: the first argument says
// which one runs, and the others are its own.

const programs = {
  "control-plane": () => import("./main.ts"),
  worker: () => import("./worker.ts"),
  migrate: () => import("./migrate.ts"),
  operator: () => import("./operator.ts"),
  "set-password": () => import("./set-password.ts"),
  reseal: () => import("./reseal.ts"),
  "reapply-erasures": () => import("./reapply-erasures.ts"),
} as const;

const [name = ""] = process.argv.splice(2, 1);
const program = Object.entries(programs).find(([each]) => each === name);
if (program === undefined) {
  const given = name === "" ? "nothing is named" : `there is no program ${JSON.stringify(name.slice(0, 40))}`;
  process.stderr.write(`${given}; the first argument is one of ${Object.keys(programs).join(", ")}\n`);
  process.exitCode = 2;
} else await program[1]();
