// The organization of the page, and what the person may do in it.

import type { DescMethod } from "@bufbuild/protobuf";
import { createContext, useContext } from "react";

/** The organization of the page. */
export interface Organization {
  readonly orgId: string;
  readonly name: string;
  readonly accountId: string;
  /** The person's role here, such as "editor". */
  readonly role: string;
  /** Whether the person may call this method here, as the server says. */
  readonly can: (method: DescMethod) => boolean;
  /** The same by name, such as "PolicyService/UpdatePolicy", for parts that do not know the service. */
  readonly allows: (name: string) => boolean;
}

/** Provides the organization to pages below `/o/$org`. */
export const OrganizationContext = createContext<Organization | undefined>(undefined);

/** The organization of the page. */
export function useOrganization(): Organization {
  const organization = useContext(OrganizationContext);
  if (organization === undefined) throw new Error("this page is not below an organization");
  return organization;
}

/** The tests of permissions by the server's list of methods, such as "PolicyService/UpdatePolicy". */
export function permissionsOf(methods: readonly string[]): Pick<Organization, "can" | "allows"> {
  const allowed = new Set(methods);
  return {
    can: ({ parent, name }) => allowed.has(`${parent.name}/${name}`),
    allows: (name) => allowed.has(name),
  };
}
