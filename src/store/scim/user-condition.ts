// Conditions on members as SQL. The names in them come from our own tables of attributes; values travel as parameters.

import type { UserCondition } from "./scim-user.ts";

/** How a text or a time is compared. */
export type ConditionOperator = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le";

/** A text of a user: a column, a path into what the directory has said, or a part of one of several values. */
export type TextSource =
  | { readonly column: "id" | "userName" | "externalId" | "displayName" | "resourceType" }
  | { readonly path: readonly string[] }
  | { readonly part: string };

/** A condition on a user. */
export type Condition =
  | { readonly kind: "and" | "or"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "present"; readonly text: TextSource }
  | {
      readonly kind: "text";
      readonly text: TextSource;
      readonly operator: ConditionOperator;
      readonly value: string;
      readonly isExact: boolean;
    }
  | {
      readonly kind: "time";
      readonly time: "created" | "lastModified";
      readonly operator: ConditionOperator;
      readonly value: Date;
    }
  | { readonly kind: "flag"; readonly flag: "active" | { readonly part: string }; readonly value: boolean }
  /** The user of this name: found by index. */
  | { readonly kind: "userName"; readonly key: string; readonly emailKey: string }
  /** The user of this external id: found by index. */
  | { readonly kind: "externalId"; readonly value: string }
  /** Users with this address, and perhaps others: found by index, before each is compared. */
  | { readonly kind: "address"; readonly key: string; readonly emailKey: string }
  /** One of several values fulfils the condition; without one, there is a value. */
  | { readonly kind: "some"; readonly list: readonly string[]; readonly where?: Condition };

/** The condition that every user fulfils. */
export const everyUser: UserCondition = { text: "true", parameters: [] };

/** The condition on `m` and `u` in SQL. */
export function userConditionSql(condition: Condition): UserCondition {
  const parameters: unknown[] = [];
  const text = write(condition, (value) => {
    parameters.push(value);
    return "?";
  });
  return { text, parameters };
}

type Bind = (value: unknown) => string;

function write(condition: Condition, bind: Bind): string {
  switch (condition.kind) {
    case "and":
    case "or":
      return `(${condition.of.map((each) => write(each, bind)).join(` ${condition.kind} `)})`;
    case "not":
      return `(not ${write(condition.of, bind)})`;
    case "present":
      return `(${textSql(condition.text)} is not null)`;
    case "text":
      return writeText(condition, bind);
    case "time":
      return `(${timeSql[condition.time]} ${symbolOf(condition.operator)} ${bind(condition.value)})`;
    case "flag":
      return condition.flag === "active"
        ? `((m.state <> 'deactivated') = ${condition.value})`
        : `coalesce((e.item ->> ${literal(condition.flag.part)})::boolean = ${condition.value}, false)`;
    case "userName":
      return writeUserName(condition, bind);
    case "externalId":
      return memberIn(
        `select n.member_id from scim_user n where ${ofOrg} and n.external_id = ${bind(condition.value)}`,
      );
    case "address":
      return memberIn(`select n.member_id from scim_user_address n where ${ofOrg} and n.address_key = ${bind(condition.key)}
        union all select n.id from member n where ${ofOrg} and n.email_key = ${bind(condition.emailKey)}`);
    case "some":
      return condition.where === undefined
        ? `(jsonb_array_length(${listSql(condition.list)}) > 0)`
        : `exists (select from jsonb_array_elements(${listSql(condition.list)}) e (item) where ${write(condition.where, bind)})`;
  }
}

const ofOrg = "n.org_id = current_setting('app.org_id')::uuid";

function memberIn(select: string): string {
  return `(m.id in (${select}))`;
}

// Members whose name the directory has not said have their address as one.
function writeUserName({ key, emailKey }: Condition & { readonly kind: "userName" }, bind: Bind): string {
  return memberIn(`
    select n.member_id from scim_user n where ${ofOrg} and n.user_name_key = ${bind(key)}
    union all
    select n.id from member n where ${ofOrg} and n.email_key = ${bind(emailKey)}
      and not exists (select from scim_user s where s.org_id = n.org_id and s.member_id = n.id)`);
}

function writeText(condition: Condition & { readonly kind: "text" }, bind: Bind): string {
  const { operator, isExact, value, text } = condition;
  const own = isExact ? textSql(text) : `lower(${textSql(text)})`;
  const wanted = () => (isExact ? bind(value) : `lower(${bind(value)})`);
  switch (operator) {
    case "ne":
      return `(${own} is distinct from ${wanted()})`;
    case "co":
      return `coalesce(position(${wanted()} in ${own}) > 0, false)`;
    case "sw":
      return `coalesce(starts_with(${own}, ${wanted()}), false)`;
    case "ew":
      return `coalesce(right(${own}, ${[...value].length}) = ${wanted()}, false)`;
    default:
      return `coalesce(${own} collate "C" ${symbolOf(operator)} ${wanted()}, false)`;
  }
}

function symbolOf(operator: ConditionOperator): string {
  const symbols: Partial<Record<ConditionOperator, string>> = {
    eq: "=",
    ne: "<>",
    gt: ">",
    ge: ">=",
    lt: "<",
    le: "<=",
  };
  const symbol = symbols[operator];
  if (symbol === undefined) throw new Error(`no order has the operator ${operator}`);
  return symbol;
}

const timeSql = { created: "m.created_at", lastModified: "greatest(m.updated_at, u.updated_at)" };

const columnSql = {
  id: "m.id::text",
  userName: "coalesce(u.user_name, m.email)",
  externalId: "u.external_id",
  displayName: "coalesce(u.attributes ->> 'displayName', app.member_name(m.account_id))",
  resourceType: "'User'",
};

function textSql(source: TextSource): string {
  if ("column" in source) return `(${columnSql[source.column]})`;
  if ("part" in source) return `(e.item ->> ${literal(source.part)})`;
  const path = source.path.map(literal);
  return `(u.attributes ${path.map((name, i) => `${i === path.length - 1 ? "->>" : "->"} ${name}`).join(" ")})`;
}

function listSql([name = "", ...rest]: readonly string[]): string {
  if (name === "roles")
    return `jsonb_build_array(jsonb_build_object('value', m.role, 'display', m.role, 'primary', true))`;
  if (name === "groups") {
    return `(select coalesce(jsonb_agg(jsonb_build_object('value', g.id, 'display', g.display_name, 'type', 'direct')), '[]')
      from scim_group_member i join scim_group g on g.org_id = i.org_id and g.id = i.group_id
      where i.org_id = m.org_id and i.member_id = m.id)`;
  }
  const said = `u.attributes ${[name, ...rest].map((part) => `-> ${literal(part)}`).join(" ")}`;
  const none =
    name === "emails"
      ? "jsonb_build_array(jsonb_build_object('value', m.email, 'type', 'work', 'primary', true))"
      : "'[]'";
  return `coalesce(${said}, ${none})`;
}

/** A name of our own as SQL. */
function literal(name: string): string {
  if (!/^[A-Za-z0-9:._-]+$/.test(name)) throw new Error(`${name} is no name of an attribute`);
  return `'${name}'`;
}
