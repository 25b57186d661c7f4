// Schemas as tables of fields.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Html, html } from "../../src/kit/net/html.ts";
import type { Schema } from "../openapi/model.ts";
import { prose } from "./prose.ts";

/** The fields of an object schema, or what else the schema says. */
export function schemaTable(schema: Schema): Html {
  const { properties } = schema;
  if (!isObject(properties)) return html`<p class="type">${typeOf(schema)}</p>${constraints(schema)}`;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = Object.entries(properties).map(([name, field]) => {
    const own = isObject(field) ? field : {};
    return fieldRow(name, own, { note: required.includes(name) ? "" : "optional" });
  });
  return rows.length === 0 ? html`<p>No fields.</p>` : fieldTable(rows);
}

/** A table of rows that fieldRow made. */
export function fieldTable(rows: readonly Html[]): Html {
  return html`<div class="wide"><table><tbody>${rows}</tbody></table></div>`;
}

/** One field: its name, its type and note, its description and rules. */
export function fieldRow(name: string, schema: Schema, { note }: { readonly note: string }): Html {
  const description = typeof schema.description === "string" ? schema.description : "";
  const notes = note === "" ? html`` : html` <span class="note">${note}</span>`;
  return html`<tr><th scope="row"><code>${name}</code>${notes}<div class="type">${typeOf(schema)}</div></th><td>${prose(description)}${constraints(schema)}</td></tr>`;
}

/** The type in words; references link to their schema. */
export function typeOf(schema: Schema): Html {
  if (typeof schema.$ref === "string") return link(schema.$ref);
  const choices = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list));
  if (Array.isArray(choices)) {
    const types = choices.map((choice) => typeOf(isObject(choice) ? choice : {}));
    return html`${types.map((type, index) => (index === 0 ? type : html` or ${type}`))}`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const types = [schema.type ?? "any"].flat().map(String);
  const items = isObject(schema.items) ? html` of ${typeOf(schema.items)}` : html``;
  const format = typeof schema.format === "string" ? html` (${schema.format})` : html``;
  return html`${types.join(" or ")}${items}${format}`;
}

function link(reference: string): Html {
  const name = reference.split("/").at(-1) ?? "";
  return html`<a href="#schema-${name}">${name}</a>`;
}

const constraintNames: readonly (readonly [string, string])[] = [
  ["enum", "one of"],
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["minLength", "min length"],
  ["maxLength", "max length"],
  ["minItems", "min items"],
  ["maxItems", "max items"],
  ["pattern", "pattern"],
];

function constraints(schema: JsonObject): Html {
  const known = constraintNames.flatMap(([key, words]) => {
    const value = schema[key];
    return value === undefined ? [] : [html`<li>${words} <code>${plain(value)}</code></li>`];
  });
  return known.length === 0 ? html`` : html`<ul class="rules">${known}</ul>`;
}

function plain(value: JsonValue): string {
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
