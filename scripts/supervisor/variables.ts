// What is wrong with the variables of the parts, said before anything is started.

import { runtimeSchema } from "../../runtime/config.ts";
import { readBackendOrigins } from "../../runtime/evaluate/backend/origin.ts";
import { bootstrapSchema, controlPlaneSchema, migrateSchema, workerSchema } from "../../src/config.ts";
import {
  ConfigError,
  type Environment,
  productVariables,
  readConfig,
  type Schema,
  withFilesRead,
} from "../../src/kit/process/config.ts";
import { readMailSettings } from "../../src/platform/mail.ts";
import { parseMasterKeys } from "../../src/platform/seal.ts";

/** What the parts get when nobody says otherwise; the master key is made. */
const given = {
  DATABASE_URL: "postgres://127.0.0.1",
  DATABASE_WORKER_URL: "postgres://127.0.0.1",
  POLICY_GUARD_MASTER_KEY: Buffer.alloc(32).toString("base64"),
};

/** This process's environment, with the values of secrets that it names files for. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return withFilesRead(process.env, [bootstrapSchema, controlPlaneSchema, migrateSchema, workerSchema, runtimeSchema]);
}

/** Everything that a part would refuse, in a line each. The variables `others` are judged elsewhere. */
export function variableProblems(env: Environment, others: readonly string[]): string[] {
  const set = Object.entries(env).filter(([name, value]) => value !== "" && !others.includes(name));
  const unset = Object.entries(given).filter(([name]) => !env[`${name}_FILE`]);
  const environment = Object.fromEntries([...unset, ...set]);
  const read = <S extends Schema>(schema: S) => readConfig(schema, environment, productVariables);
  const checks = [
    () => parseMasterKeys(read(controlPlaneSchema).masterKey),
    () => readMailSettings(read(controlPlaneSchema)),
    () => read(workerSchema),
    () => read(bootstrapSchema),
    () => readBackendOrigins(read(runtimeSchema)),
  ];
  return [...new Set(checks.flatMap(problemsOf))];
}

function problemsOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map(({ name, given: found, expected }) => `${name}: ${found}; expected ${expected}`);
    return [error instanceof Error ? error.message : String(error)];
  }
}
