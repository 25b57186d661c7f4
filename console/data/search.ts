// What the addresses of pages say besides the path.

import { isId } from "./id.ts";

/**
 * An address of this page to go to, home for anything else. The router hands on what it was given besides what a route
 * has checked, so whoever goes there checks it.
 */
export function ownAddress(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/";
}

/** The texts under these names; absent and empty ones are left out. */
export function textsIn<const Name extends string>(
  search: Readonly<Record<string, unknown>>,
  ...names: readonly Name[]
): { readonly [key in Name]?: string } {
  const found = names.flatMap((name) => {
    const value = search[name];
    return value === undefined || value === null || value === "" || typeof value === "object"
      ? []
      : [[name, String(value)]];
  });
  // `fromEntries` forgets which names there can be.
  return Object.fromEntries(found) as { readonly [key in Name]?: string };
}

/** The moments under these names, as ISO times; what is none is left out. */
export function momentsIn<const Name extends string>(
  search: Readonly<Record<string, unknown>>,
  ...names: readonly Name[]
): { readonly [key in Name]?: string } {
  const given: Readonly<Record<string, string | undefined>> = textsIn(search, ...names);
  return textsIn(given, ...names.filter((name) => !Number.isNaN(Date.parse(given[name] ?? ""))));
}

/** The project that an address names; left out when it can be none, so that the page looks at what it does without. */
export function projectIn(search: Readonly<Record<string, unknown>>): { readonly project?: string } {
  const { project } = textsIn(search, "project");
  return project === undefined || !isId(project) ? {} : { project };
}

/** Whether a part of an address can be the name of an environment. */
export function isEnvironmentName(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(text);
}

/** The environments under these names; what can be none is left out. */
export function environmentsIn<const Name extends string>(
  search: Readonly<Record<string, unknown>>,
  ...names: readonly Name[]
): { readonly [key in Name]?: string } {
  const given: Readonly<Record<string, string | undefined>> = textsIn(search, ...names);
  return textsIn(given, ...names.filter((name) => isEnvironmentName(given[name] ?? "")));
}

/** The numbers of versions under these names; what is none is left out. */
export function versionsIn<const Name extends string>(
  search: Readonly<Record<string, unknown>>,
  ...names: readonly Name[]
): { readonly [key in Name]?: number } {
  const found = names.flatMap((name) => {
    const value = search[name];
    return Number.isInteger(value) && Number(value) > 0 ? [[name, Number(value)]] : [];
  });
  // `fromEntries` forgets which names there can be.
  return Object.fromEntries(found) as { readonly [key in Name]?: number };
}
