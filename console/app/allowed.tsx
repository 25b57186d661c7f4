import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useOrganization } from "../data/organization.ts";
import { Page } from "../part/page.tsx";
import { Refused } from "../part/state.tsx";
import { navigationPages } from "./pages.ts";

/** The page, or who could open it: whoever comes by its address may not be one to whom the navigation offers it. */
export function Allowed({ children }: { readonly children: ReactNode }) {
  const { orgId, allows } = useOrganization();
  const { pathname } = useLocation();
  const pathOf = (to: string) => to.replace("$org", orgId);
  const [page] = navigationPages
    .filter(({ to }) => pathname === pathOf(to) || pathname.startsWith(`${pathOf(to)}/`))
    .toSorted((a, b) => b.to.length - a.to.length);
  if (page?.needs === undefined || allows(page.needs)) return children;
  return (
    <Page key={page.to} title={page.title}>
      <Refused needed={page.role} />
    </Page>
  );
}
