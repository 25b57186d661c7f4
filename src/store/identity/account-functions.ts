// Look-ups about people before anybody is known: by an address, by the digest of a token, by an account's id.

import { applicationRole, lookupRole, workerRole } from "../core/roles.ts";
import type { SqlFunction } from "../core/sql-function.ts";
import { addressLimitFunctions } from "./address-limit.ts";
import { loginFailureFunctions } from "./login-failure.ts";

const definer = "stable security definer set search_path = pg_catalog, public";

/** Functions about accounts, sessions and attempts. */
export const accountFunctions: readonly SqlFunction[] = [
  {
    signature: "find_account(text)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_account(wanted text)
      returns table (id uuid, email text, name text, password_hash text, mfa_enabled boolean)
      language sql ${definer} as $$
        select a.id, a.email, a.name, a.password_hash, a.mfa_enabled_at is not null
        from public.account a where a.email_key = wanted
      $$`,
  },
  {
    // Which organizations the session reaches follows from what they demand now, so a new demand takes effect with the
    // next call, in every process.
    signature: "find_session_reach(bytea, timestamptz)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_session_reach(wanted bytea, present timestamptz)
      returns table (
        account_id uuid, session_id uuid, email text, roles jsonb, sso_required jsonb, factor_required jsonb,
        provider_org_id uuid)
      language sql ${definer} as $$
        select a.id, s.id, a.email, places.roles, places.sso_required, places.factor_required, s.provider_org_id
        from public.session_token t
        join public.session s on s.id = t.session_id and s.account_id = t.account_id
        join public.account a on a.id = s.account_id
        left join public.sso_configuration p on p.org_id = s.provider_org_id
        cross join lateral (
          select
            coalesce(jsonb_object_agg(m.org_id,
              -- What an owner may do needs more than the word of a provider that an admin has chosen.
              case when s.provider_org_id is not null and m.role = 'owner' then 'admin' else m.role end
            ) filter (where not m.needs_provider and (a.mfa_enabled_at is not null or not m.needs_factor)), '{}')
              as roles,
            coalesce(jsonb_agg(m.org_id) filter (where m.needs_provider), '[]') as sso_required,
            coalesce(jsonb_agg(m.org_id) filter (where m.needs_factor and not m.needs_provider), '[]')
              as factor_required
          from (
            select e.org_id, e.role,
              s.provider_org_id is null and e.role <> 'owner' and coalesce(c.enforced, false) as needs_provider,
              -- The second factor of a session of a provider is the provider's.
              s.provider_org_id is null and o.second_factor_required as needs_factor
            from public.member e join public.organization o on o.id = e.org_id
            left join public.sso_configuration c on c.org_id = e.org_id
            where e.account_id = a.id and e.state = 'active'
              and (s.provider_org_id is null or s.provider_org_id = e.org_id)) m) places
        where t.digest = wanted and t.kind <> 'refresh' and t.expires_at > present
          and s.revoked_at is null and s.expires_at > present
          and (s.provider_org_id is null or p.sessions_since <= s.created_at)
      $$`,
  },
  {
    // For processes from before organizations could demand a second factor: they refuse the same calls.
    signature: "find_session(bytea, timestamptz)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_session(wanted bytea, present timestamptz)
      returns table (
        account_id uuid, session_id uuid, email text, roles jsonb, sso_required jsonb, provider_org_id uuid)
      language sql ${definer} as $$
        select r.account_id, r.session_id, r.email, r.roles, r.sso_required, r.provider_org_id
        from app.find_session_reach(wanted, present) r
      $$`,
  },
  {
    signature: "find_refresh_token(bytea)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_refresh_token(wanted bytea)
      returns table (account_id uuid)
      language sql ${definer} as $$
        select t.account_id from public.session_token t where t.digest = wanted and t.kind = 'refresh'
      $$`,
  },
  {
    signature: "find_one_time_token(text, bytea, timestamptz)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_one_time_token(wanted_purpose text, wanted bytea, present timestamptz)
      returns table (account_id uuid)
      language sql ${definer} as $$
        select t.account_id from public.one_time_token t
        where t.digest = wanted and t.purpose = wanted_purpose and t.used_at is null and t.expires_at > present
      $$`,
  },
  {
    signature: "find_memberships(uuid)",
    owner: lookupRole,
    callers: [applicationRole, workerRole],
    create: `create or replace function app.find_memberships(wanted uuid)
      returns table (org_id uuid, org_name text, member_id uuid, role text, state text)
      language sql ${definer} as $$
        select m.org_id, o.name, m.id, m.role, m.state
        from public.member m join public.organization o on o.id = m.org_id
        where m.account_id = wanted order by o.name, o.id
      $$`,
  },
  {
    signature: "find_invitation(bytea, timestamptz)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.find_invitation(wanted bytea, present timestamptz)
      returns table (org_id uuid, org_name text, member_id uuid, email text, email_key text, mailed boolean)
      language sql ${definer} as $$
        select m.org_id, o.name, m.id, m.email, m.email_key, m.invitation_mailed
        from public.member m join public.organization o on o.id = m.org_id
        where m.invitation_digest = wanted and m.state = 'invited' and m.invitation_expires_at > present
      $$`,
  },
  {
    signature: "account_organizations(uuid)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.account_organizations(wanted uuid)
      returns table (
        id uuid, name text, plan text, billing_blocked boolean, billing_email text, security_email text,
        created_at timestamptz, updated_at timestamptz)
      language sql ${definer} as $$
        select o.id, o.name, o.plan, o.billing_blocked, o.billing_email, o.security_email, o.created_at, o.updated_at
        from public.member m join public.organization o on o.id = m.org_id
        where m.account_id = wanted and m.state = 'active' order by o.name, o.id
      $$`,
  },
  {
    // Only of the organization that the transaction is about.
    signature: "member_accounts()",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.member_accounts()
      returns table (account_id uuid, name text, email text, mfa_enabled boolean)
      language sql ${definer} as $$
        select a.id, a.name, a.email, a.mfa_enabled_at is not null
        from public.member m join public.account a on a.id = m.account_id
        where m.org_id = nullif(current_setting('app.org_id', true), '')::uuid
      $$`,
  },
  {
    // Of a member of the organization that the transaction is about: for a page of many members.
    signature: "member_name(uuid)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.member_name(wanted uuid)
      returns text
      language sql ${definer} as $$
        select a.name from public.account a where a.id = wanted and exists (
          select from public.member m
          where m.org_id = nullif(current_setting('app.org_id', true), '')::uuid and m.account_id = a.id)
      $$`,
  },
  {
    // Of whoever asks to join too, who is no member yet.
    signature: "address_proven(uuid)",
    owner: lookupRole,
    callers: [applicationRole],
    create: `create or replace function app.address_proven(wanted uuid)
      returns boolean
      language sql ${definer} as $$
        select exists (select from public.account a where a.id = wanted and a.email_verified_at is not null)
      $$`,
  },
  {
    signature: "accounts_with_expired(timestamptz, integer)",
    owner: lookupRole,
    callers: [workerRole],
    create: `create or replace function app.accounts_with_expired(moment timestamptz, most int)
      returns table (account_id uuid)
      language sql ${definer} as $$
        select s.account_id from public.session s where s.expires_at < moment or s.revoked_at < moment
        union select t.account_id from public.session_token t where t.expires_at < moment
        union select o.account_id from public.one_time_token o where o.expires_at < moment
        limit most
      $$`,
  },
  ...loginFailureFunctions,
  ...addressLimitFunctions,
];
