import { runtimeSchema } from "../../runtime/config.ts";
import { bootstrapSchema, controlPlaneSchema, workerSchema } from "../../src/config.ts";
import { describeSchema, type Schema } from "../../src/kit/process/config.ts";
import { readSettings } from "../supervisor/settings.ts";
import { code, table } from "./table.ts";

/** Variables of `npm run control-plane`. */
export function controlPlaneVariables(): string {
  return describeSchema(controlPlaneSchema);
}

/** Variables of `npm run worker`. */
export function workerVariables(): string {
  return describeSchema(workerSchema);
}

/** Variables of `npm run runtime`. */
export function runtimeVariables(): string {
  return describeSchema(runtimeSchema);
}

/** Variables that `npm start` reads itself; it passes the others on to its parts. */
export function startVariables(): string {
  const ports = Object.entries(readSettings({}, "/").ports).map(([name, port]) => [
    code(name),
    code(String(port)),
    descriptionOf(name),
  ]);
  const rows = [
    ...ports,
    [code("HOST"), code("127.0.0.1"), descriptionOf("HOST")],
    [code("MANAGEMENT_HOST"), code("127.0.0.1"), descriptionOf("MANAGEMENT_HOST")],
    [
      code("POLICY_GUARD_REGISTRATION"),
      "`open` on loopback, `invite_only` elsewhere",
      descriptionOf("POLICY_GUARD_REGISTRATION"),
    ],
    [code("POLICY_GUARD_DATA"), code("var"), descriptionOf("POLICY_GUARD_DATA")],
    [
      code("POLICY_GUARD_MASTER_KEY"),
      "made on the first start, in `master.key`",
      descriptionOf("POLICY_GUARD_MASTER_KEY"),
    ],
    [code("DATABASE_URL"), "the embedded server", descriptionOf("DATABASE_URL")],
    [code("DATABASE_MIGRATION_URL"), "with `DATABASE_URL`", "The same database, as the owner of the tables."],
    [code("DATABASE_WORKER_URL"), "with `DATABASE_URL`", descriptionOf("DATABASE_WORKER_URL")],
  ];
  return table(["variable", "default", "meaning"], rows);
}

const schemas: readonly Schema[] = [bootstrapSchema, controlPlaneSchema, workerSchema, runtimeSchema];

function descriptionOf(name: string): string {
  const found = schemas.flatMap((schema) => Object.values(schema)).find((variable) => variable.name === name);
  if (found === undefined) throw new Error(`no process reads ${name}`);
  return found.description;
}
