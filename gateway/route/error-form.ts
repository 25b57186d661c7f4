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
  readonly bodyOf: (failure: PublicFailure) => JsonObject;
}

/** The form of another product. */
export interface ForeignErrorForm extends ErrorForm {
  readonly pathPrefix: string;
  /** Begins the names of its schema and its response in the OpenAPI document. */
  readonly name: string;
  readonly schema: JsonObject;
}

const ownForm: ErrorForm = {
  bodyOf: ({ code, message, extra }) => ({ detail: code === "" ? message : { error: code, message, ...extra } }),
};

// OpenAI's clients read `error` and print its `message`.
const openAiForm: ForeignErrorForm = {
  pathPrefix: "/v1/evaluate/openai/",
  name: "OpenAi",
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

/** The forms of other products. */
export const foreignErrorForms: readonly ForeignErrorForm[] = [openAiForm];

/** The foreign form of failures below a path, whether or not an operation has the path. */
export function foreignErrorForm(path: string): ForeignErrorForm | undefined {
  return foreignErrorForms.find(({ pathPrefix }) => path.startsWith(pathPrefix));
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
