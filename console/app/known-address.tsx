// Addresses come from mails, notes and hands. What cannot be the id of anything is asked of no server.

import { type AnyRouteMatch, useMatches } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isId } from "../data/id.ts";
import { isEnvironmentName } from "../data/search.ts";
import { PageNotFound } from "./not-found.tsx";

/** Parts of paths that are ids. */
const ids = ["policy", "list", "schema", "run", "dataset", "webhook", "rule", "trace", "project"];

/** The page; or that there is none, where a part of its path can be neither an id nor the name of an environment. */
export function KnownAddress({ children }: { readonly children: ReactNode }) {
  const match: AnyRouteMatch | undefined = useMatches().at(-1);
  const params: Readonly<Record<string, string | undefined>> = match?.params ?? {};
  const isStray = ids.some((name) => params[name] !== undefined && !isId(params[name]));
  return isStray || (params.env !== undefined && !isEnvironmentName(params.env)) ? <PageNotFound /> : children;
}
