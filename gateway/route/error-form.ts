// The JSON of failures, by the prefix of the path. It is {"detail": …} except below paths that follow the contract of
// another product, whose clients look for the message elsewhere.

import type { JsonObject } from "@bufbuild/protobuf";

/** A failure as callers may know it. */
export interface PublicFailure {
  readonly status: number;
  /** Code in the catalogue; "" where it has none. */
  readonly code: string;
  readonly message: string;
  /** Further keys, such as `fields`. */
  readonly extra: JsonObject;
}

/** How failures are written below some path. */
export interface ErrorForm {
  readonly mediaType: string;
  readonly bodyOf: (failure: PublicFailure) => JsonObject;
  /** The status, where the form has another one than the catalogue. */
  readonly statusOf?: (failure: PublicFailure) => number;
  /** Headers that carry what the body has no place for. */
  readonly headersOf?: (failure: PublicFailure) => Readonly<Record<string, string>>;
}

/** The form of another product. */
export interface ForeignErrorForm extends ErrorForm {
  /** Matches the beginning of paths, and of templates of paths. */
  readonly below: RegExp;
  /** Begins the names of its schema and its response in the OpenAPI document. */
  readonly name: string;
  readonly schema: JsonObject;
}

const ownForm: ErrorForm = {
  mediaType: "application/json",
  bodyOf: ({ code, message, extra }) => ({ detail: code === "" ? message : { error: code, message, ...extra } }),
};

// OpenAI's clients read `error` and print its `message`.
const openAiForm: ForeignErrorForm = {
  below: /^\/v1\/evaluate\/openai\//,
  name: "OpenAi",
  mediaType: "application/json",
  bodyOf: ({ status, code, message, extra }) => ({
    error: {
      message,
      type: status < 500 ? "invalid_request_error" : "server_error",
      param: firstField(extra),
      code: code === "" ? null : code,
    },
  }),
  schema: {
    type: "object",
    description: "A failure as OpenAI's API writes it.",
    properties: {
      error: {
        type: "object",
        properties: {
          message: { type: "string", description: "What was wrong, for a person." },
          type: { type: "string", enum: ["invalid_request_error", "server_error"] },
          param: { type: ["string", "null"], description: "The first field that fails its rules." },
          code: { type: ["string", "null"], description: "The code that `detail.error` has elsewhere." },
        },
        required: ["message", "type", "param", "code"],
      },
    },
    required: ["error"],
  },
};

// RFC 7644, section 3.12. Its clients read 422 as a failure of the server's; whatever cannot be read is 400 there.
const scimForm: ForeignErrorForm = {
  below: /^\/v1\/orgs\/[^/]+\/scim\/v2(?:\/|$)/,
  name: "Scim",
  mediaType: "application/scim+json",
  statusOf: ({ status }) => (status === 422 ? 400 : status),
  headersOf: ({ code }): Readonly<Record<string, string>> => (code === "" ? {} : { "x-error-code": code }),
  bodyOf: (failure) => {
    const status = failure.status === 422 ? 400 : failure.status;
    const scimType = scimTypeOf(failure);
    return {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(status),
      ...(scimType === undefined ? {} : { scimType }),
      detail: failure.message,
    };
  },
  schema: {
    type: "object",
    description:
      "A failure as SCIM writes it (RFC 7644, section 3.12). The header `X-Error-Code` has the code that `detail.error` has elsewhere.",
    properties: {
      schemas: { type: "array", items: { const: "urn:ietf:params:scim:api:messages:2.0:Error" } },
      status: { type: "string", description: "The HTTP status, as a string." },
      scimType: { type: "string", description: "Kind of error, with 400 and with a value that is taken." },
      detail: { type: "string", description: "What was wrong, for a person." },
    },
    required: ["schemas", "status", "detail"],
  },
};

function scimTypeOf({ status, code, extra }: PublicFailure): string | undefined {
  if (typeof extra.scim_type === "string") return extra.scim_type;
  if (code === "already_exists") return "uniqueness";
  if (status !== 400 && status !== 422) return undefined;
  return code === "malformed_request" ? "invalidSyntax" : "invalidValue";
}

/** The forms of other products. */
export const foreignErrorForms: readonly ForeignErrorForm[] = [openAiForm, scimForm];

/** The foreign form of failures below a path, whether or not an operation has the path. */
export function foreignErrorForm(path: string): ForeignErrorForm | undefined {
  return foreignErrorForms.find(({ below }) => below.test(path));
}

/** The form of failures below a path. */
export function errorForm(path: string): ErrorForm {
  return foreignErrorForm(path) ?? ownForm;
}

function firstField({ fields }: JsonObject): string | null {
  const first = Array.isArray(fields) ? fields[0] : undefined;
  const isEntry = typeof first === "object" && first !== null && !Array.isArray(first);
  return isEntry && typeof first.field === "string" ? first.field : null;
}
