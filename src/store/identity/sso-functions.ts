// Look-ups of single sign-on, before it is known whose it is.

import { applicationRole, lookupRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";

const definer = "stable security definer set search_path = pg_catalog, public";

/** Functions about organizations' identity providers. */
export const ssoFunctions: readonly SqlFunction[] = [
  {
    signature: "find_sso_organization(text)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_sso_organization(wanted text)
      returns table (org_id uuid)
      language sql ${definer} as $$
        select d.org_id from public.sso_domain d join public.sso_configuration c on c.org_id = d.org_id
        where d.domain = wanted and d.verified_at is not null
      $$`,
  },
  {
    signature: "find_sso_login(bytea)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_sso_login(wanted bytea)
      returns table (org_id uuid)
      language sql ${definer} as $$ select l.org_id from public.sso_login l where l.state_digest = wanted $$`,
  },
];
