// The numbers of all states that are known.

import { americanIdentities } from "./identity/america.ts";
import { asianIdentities } from "./identity/asia.ts";
import { eastEuropeanIdentities } from "./identity/europe-east.ts";
import { westEuropeanIdentities } from "./identity/europe-west.ts";
import type { IdentityFormat } from "./identity.ts";

/** The formats of all states. */
export const identities: readonly IdentityFormat[] = [
  ...americanIdentities,
  ...asianIdentities,
  ...eastEuropeanIdentities,
  ...westEuropeanIdentities,
];
