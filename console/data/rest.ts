// Calls whose body or answer is a file: they go through REST, under the same session and with the same failures.

import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetailSchema, Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { en } from "../text/en.ts";
import { safeName } from "./file-name.ts";
import { saveBlob } from "./save.ts";
import { pageFetch } from "./transport.ts";

const codes: ReadonlyMap<number, Code> = new Map([
  [401, Code.Unauthenticated],
  [402, Code.FailedPrecondition],
  [403, Code.PermissionDenied],
  [404, Code.NotFound],
  [409, Code.FailedPrecondition],
  [429, Code.ResourceExhausted],
]);
const reasons: Readonly<Record<string, Reason>> = {
  payment_required: Reason.PAYMENT_REQUIRED,
  plan_limit_exceeded: Reason.PLAN_LIMIT_EXCEEDED,
  session_changed: Reason.SESSION_CHANGED,
};

/** Makes a call; a refusal is thrown as calls of the transport throw it. */
export function callRest(path: string, init: RequestInit = {}): Promise<Response> {
  return pageFetch(path, init, failureOfAnswer);
}

/** What a page holds in memory before it is saved; the command writes larger files as they come. */
const maxFileBytes = 50_000_000;

/**
 * Saves what a call answers as a file of the name that the server gives it, or else `name`. A larger one than pages
 * hold is refused, and the refusal names the command that writes it.
 */
export async function saveFile(path: string, name: string, command = curlOf(path, name)): Promise<void> {
  const answer = await callRest(path);
  const given = /filename="([^"]*)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  const type = answer.headers.get("content-type") ?? "";
  saveBlob(new Blob(await piecesOf(answer, command), { type }), given ?? name);
}

function curlOf(path: string, name: string): string {
  return `curl -H "Authorization: Bearer $POLICY_GUARD_TOKEN" -o ${safeName(name)} "${location.origin}${path}"`;
}

async function piecesOf(answer: Response, command: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const reader = answer.body?.getReader();
  let size = 0;
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return pieces;
    pieces.push(piece.value);
    size += piece.value.length;
    if (size <= maxFileBytes) continue;
    await reader?.cancel();
    throw new ConnectError(en.failure.tooLarge(command), Code.OutOfRange);
  }
}

/** The error of an answer that is none, as calls of the transport throw it. */
export async function failureOfAnswer(answer: Response): Promise<ConnectError> {
  const { detail } = (await answer.json().catch(() => ({}))) as { readonly detail?: unknown };
  const code = codes.get(answer.status) ?? (answer.status < 500 ? Code.InvalidArgument : Code.Internal);
  const { error, message, ...extra } = (typeof detail === "object" && detail !== null ? detail : {}) as {
    readonly error?: string;
    readonly message?: string;
  };
  const text = message ?? (typeof detail === "string" ? detail : "");
  const described = create(ErrorDetailSchema, {
    reason: reasons[error ?? ""] ?? Reason.UNSPECIFIED,
    error: error ?? "",
    extra,
  });
  return new ConnectError(text, code, answer.headers, [{ desc: ErrorDetailSchema, value: described }]);
}
