// The token with which an organization's directory calls SCIM. There is one; its former value may go on for some hours.

import { notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Database } from "../../store/connection/database.ts";
import { listScimTokens, type ScimAuthority, type TokenRow } from "../../store/identity/token.ts";
import { addBuiltInGroups } from "../../store/scim/scim-group.ts";
import { tokensChannel } from "../channel.ts";
import { addToken, authorOf } from "../identity/token.ts";
import { lockTeamAs } from "../tenancy/team-rule.ts";
import { scimBaseUrl } from "./users.ts";

/** A token that is asked for. */
export interface DirectoryTokenInput {
  readonly name?: string | undefined;
  readonly expiresAt?: Date | undefined;
  readonly keepPreviousHours?: number | undefined;
}

/** The directory's token. */
export interface DirectoryToken {
  readonly row: TokenRow;
  /** The former one, while it works. */
  readonly previous: TokenRow | undefined;
  readonly baseUrl: string;
}

/** Issues, shows and ends the directory's token. */
export class DirectoryTokens {
  readonly #database: Database;
  readonly #publicUrl: string;

  constructor(database: Database, { publicUrl }: { readonly publicUrl: string }) {
    this.#database = database;
    this.#publicUrl = publicUrl;
  }

  /** Issues a token in place of the present one. It has the authority of the caller. */
  issue(caller: Caller, input: DirectoryTokenInput): Promise<DirectoryToken & { readonly value: string }> {
    const { name = "directory", expiresAt, keepPreviousHours = 0 } = input;
    return this.#database.transaction(caller, async (tx) => {
      const { role } = await lockTeamAs(tx, caller, "admin");
      await addBuiltInGroups(tx);
      const [present, ...older] = await listScimTokens(tx);
      for (const row of older) row.revokedAt = tx.now;
      if (present !== undefined) endAfter(present, tx.now, keepPreviousHours);
      const issued = await addToken(tx, await authorOf(tx, caller.credential), "scim", { name, expiresAt });
      const { row, value } = issued;
      row.authority = role === "owner" ? "owner" : "admin";
      // The newest is the present one, whatever clocks say.
      row.createdAt = new Date(Math.max(tx.now.getTime(), (present?.createdAt.getTime() ?? 0) + 1));
      await tx.em.flush();
      await tx.notify(tokensChannel, {});
      const previous = present?.revokedAt == null ? present : undefined;
      tx.changed({
        resource: `token/${row.id}`,
        before: present === undefined ? null : auditView(present),
        after: { ...auditView(row), keep_previous_hours: keepPreviousHours },
      });
      return { row, value, previous, baseUrl: scimBaseUrl(this.#publicUrl, tx.orgId) };
    });
  }

  /** The token. */
  get(caller: Caller): Promise<DirectoryToken> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [row, previous] = await listScimTokens(tx);
      if (row === undefined) throw notFound("SCIM token");
      const isLive = previous?.expiresAt != null && previous.expiresAt > tx.now;
      return { row, previous: isLive ? previous : undefined, baseUrl: scimBaseUrl(this.#publicUrl, tx.orgId) };
    });
  }

  /** Ends the token and its former value. */
  revoke(caller: Caller): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      await lockTeamAs(tx, caller, "admin");
      const tokens = await listScimTokens(tx);
      const [present] = tokens;
      if (present === undefined) throw notFound("SCIM token");
      for (const row of tokens) row.revokedAt = tx.now;
      await tx.notify(tokensChannel, {});
      tx.changed({ resource: `token/${present.id}`, before: auditView(present), after: null });
    });
  }
}

function endAfter(row: TokenRow, now: Date, hours: number): void {
  const end = now.getTime() + hours * 3_600_000;
  if (hours === 0) row.revokedAt = now;
  else row.expiresAt = new Date(Math.min(end, row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY));
}

function auditView({ name, prefix, authority, expiresAt }: TokenRow) {
  const expires_at = expiresAt?.toISOString() ?? null;
  return { kind: "scim", name, prefix, authority: authority ?? ("admin" satisfies ScimAuthority), expires_at };
}
