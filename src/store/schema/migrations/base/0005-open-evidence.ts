// Leaves of the log of evidence become ones of form 2, with openings beside them (kit/evidence/leaf.ts). Nobody relies
// on the hashes of form 1, since nothing was signed over them. What form 1 kept of values, their digests, is all that
// can be opened of them.

import { Migration } from "@mikro-orm/migrations";
import { leafHash, leafText, newOpening } from "../../../../kit/evidence/leaf.ts";

const rowsAtOnce = 1_000;
const own = "org_id = nullif(current_setting('app.org_id', true), '')::uuid";

/** A leaf of form 1. */
interface FormerLeaf {
  readonly seq: number;
  readonly org_id: string;
  readonly created_at: string;
  readonly action: string;
  readonly actor: string;
  readonly credential: string;
  readonly address: string;
  readonly request_id: string;
  readonly resource: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Brings tables and entries to form 2. */
export class OpenEvidence extends Migration {
  override async up(): Promise<void> {
    await this.execute(
      'create table "audit_opening" ("org_id" uuid not null, "seq" bigint not null, "actor" text null, "actor_salt" bytea null, "address" text null, "address_salt" bytea null, "before" text null, "before_salt" bytea null, "after" text null, "after_salt" bytea null, primary key ("org_id", "seq"))',
    );
    // The owner sees all rows as long as nothing forces the row policies on it.
    await this.execute('alter table "audit_entry" no force row level security');
    await this.#rewrite();
    await this.execute('alter table "audit_entry" force row level security');
    await this.execute('alter table "audit_entry" drop column "actor"');
    await this.execute('create index "audit_entry_action" on "audit_entry" ("org_id", "action", "seq")');
    await this.execute('create index "audit_entry_resource" on "audit_entry" ("org_id", "resource", "seq")');
    await this.execute('create index "audit_entry_created" on "audit_entry" ("org_id", "created_at")');
    await this.execute('create index "audit_opening_actor" on "audit_opening" ("org_id", "actor", "seq")');
    await this.execute('alter table "audit_opening" enable row level security');
    await this.execute('alter table "audit_opening" force row level security');
    await this.execute(`create policy "tenant" on "audit_opening" using (${own}) with check (${own})`);
  }

  async #rewrite(): Promise<void> {
    let after = { org_id: "00000000-0000-0000-0000-000000000000", seq: -1 };
    for (;;) {
      const rows = await this.execute(
        "select leaf from audit_entry where (org_id, seq) > (?::uuid, ?) order by org_id, seq limit ?",
        [after.org_id, after.seq, rowsAtOnce],
      );
      const leaves = rows.map(({ leaf }): FormerLeaf => JSON.parse(String(leaf)));
      const last = leaves.at(-1);
      if (last === undefined) return;
      await this.execute(
        `with form2 as (
           select * from jsonb_to_recordset(?::jsonb) as row(org_id uuid, seq bigint, leaf text, leaf_hash text,
             actor text, actor_salt text, address text, address_salt text,
             before text, before_salt text, after text, after_salt text)),
         rewritten as (
           update audit_entry e set leaf = f.leaf, leaf_hash = decode(f.leaf_hash, 'hex')
           from form2 f where e.org_id = f.org_id and e.seq = f.seq)
         insert into audit_opening
           (org_id, seq, actor, actor_salt, address, address_salt, before, before_salt, after, after_salt)
         select org_id, seq, actor, decode(actor_salt, 'hex'), address, decode(address_salt, 'hex'),
           before, decode(before_salt, 'hex'), after, decode(after_salt, 'hex') from form2`,
        [JSON.stringify(leaves.map(form2))],
      );
      after = last;
    }
  }
}

function form2(former: FormerLeaf) {
  const { seq, org_id, action, resource, credential, request_id, actor, address } = former;
  const openings = {
    actor: newOpening(actor),
    address: newOpening(address),
    before: newOpening(former.before),
    after: newOpening(former.after),
  };
  const createdAt = new Date(former.created_at);
  const leaf = leafText(
    { seq, orgId: org_id, createdAt, action, resource, credential, requestId: request_id },
    openings,
  );
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  return {
    ...{ org_id, seq, leaf, leaf_hash: hex(leafHash(leaf)) },
    ...{ actor, actor_salt: hex(openings.actor.salt), address, address_salt: hex(openings.address.salt) },
    ...{ before: openings.before.value, before_salt: hex(openings.before.salt) },
    ...{ after: openings.after.value, after_salt: hex(openings.after.salt) },
  };
}
