// What deployment files set: each variable has to be one that the process reads, with a value that it takes.

import { runtimeSchema } from "../../runtime/config.ts";
import {
  controlPlaneSchema,
  migrateSchema,
  operatorSchema,
  setPasswordSchema,
  workerSchema,
} from "../../src/config.ts";
import { fileVariable, type Schema } from "../../src/kit/process/config.ts";
import { parseValue } from "../../src/kit/process/config-value.ts";

/** Variables by the program that is started with them. */
export const programs: Readonly<Record<string, Schema>> = {
  "control-plane": controlPlaneSchema,
  worker: workerSchema,
  migrate: migrateSchema,
  operator: operatorSchema,
  "set-password": setPasswordSchema,
  runtime: runtimeSchema,
};

/** Set by images for Node, and read by no schema. */
const ofNode = ["NODE_ENV", "NODE_EXTRA_CA_CERTS"];

/** What is wrong with the variables of a program, in a line each. `files` are paths that exist once it is deployed. */
export function environmentProblems(
  program: string,
  environment: Readonly<Record<string, string>>,
  files: (path: string) => boolean,
): string[] {
  const schema = programs[program];
  if (schema === undefined) return [`there is no program ${program}`];
  return Object.entries(environment).flatMap(([name, value]) => {
    if (ofNode.includes(name)) return [];
    const variable = Object.values(schema).find((each) => each.name === name || fileVariable(each) === name);
    if (variable === undefined) return [`${program} does not read ${name}`];
    if (variable.name !== name || variable.kind === "secret-file") {
      return files(value) ? [] : [`${name}: nothing puts ${value} there`];
    }
    return parseValue(variable, value) === undefined ? [`${name}: ${value} is not what it takes`] : [];
  });
}

/** Required variables of a program that are neither set nor given as a file. */
export function missingVariables(program: string, environment: Readonly<Record<string, string>>): string[] {
  return Object.values(programs[program] ?? {}).flatMap((variable) => {
    const isGiven = variable.name in environment || (fileVariable(variable) ?? "") in environment;
    return variable.required === true && !isGiven ? [variable.name] : [];
  });
}
