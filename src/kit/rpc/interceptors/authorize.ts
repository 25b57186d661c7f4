// Whether the caller may make this call on the resources that it names. The method's (access) option alone decides. The
// order of the checks decides what a refusal gives away: a stranger learns only that the organization is not theirs.

import { type DescEnum, type DescMethod, getOption, type Message } from "@bufbuild/protobuf";
import type { Interceptor, StreamRequest, UnaryRequest } from "@connectrpc/connect";
import {
  type Access,
  CredentialKind,
  CredentialKindSchema,
  type Role,
  RoleSchema,
  wire,
} from "../../../../gen/policyguard/options/v1/options_pb.ts";
import {
  type Fault,
  foreignOrganization,
  insufficientScope,
  malformedRequest,
  secondFactorRequired,
  ssoRequired,
  validationFailed,
} from "../../fault/fault.ts";
import { auditKey, type Credential, callerKey, connectionKey, credentialKey } from "../context.ts";
import { methodFacts } from "../options.ts";
import { isParameter } from "../parameter.ts";
import { lackOf } from "../permission.ts";
import { peekStream } from "./stream.ts";

/** Refuses calls that the credential may not make, and sets the caller of the others. */
export function createAuthorizeInterceptor(): Interceptor {
  return (next) => async (req) => {
    const credential = req.contextValues.get(credentialKey);
    if (credential === undefined) return next(req); // public, or authenticate had refused it
    const { access } = methodFacts(req.method);
    if (access.account) {
      assertPermitted(access, credential, undefined);
      return next(req);
    }
    const [message, checked] = await withMessage(req);
    if (access.orgFromCredential) await readOrganization(req, access, credential);
    const orgId = reachedOrganization(access, credential, req.method, message);
    const role = credential.roles.get(orgId);
    assertPermitted(access, credential, role);
    checkProject(access, credential, req.method, message);
    req.contextValues.set(callerKey, { credential, orgId, role, audit: req.contextValues.get(auditKey) });
    return next(checked);
  };
}

// A stream of requests has no message yet; start-up refuses such methods when their (access) names a field. The
// messages of an upload all have the fields that (access) names, and the first is there at once.
async function withMessage(
  req: UnaryRequest | StreamRequest,
): Promise<[Message | undefined, UnaryRequest | StreamRequest]> {
  if (!req.stream) return [req.message, req];
  const isUpload = methodFacts(req.method).upload !== undefined;
  if (req.method.methodKind !== "server_streaming" && !isUpload) return [undefined, req];
  const { first, stream } = await peekStream(req.message);
  return [first, { ...req, message: isUpload ? sameReach(req.method, first, stream) : stream }];
}

/** The messages; one that names something else than the first, for which the caller was authorized, ends them. */
async function* sameReach(
  method: DescMethod,
  first: Message | undefined,
  messages: AsyncIterable<Message>,
): AsyncGenerator<Message> {
  const { orgField, projectField, envField } = methodFacts(method).access;
  const names = [orgField, projectField, envField].filter((name) => name !== "");
  for await (const message of messages) {
    const other = names.find((name) => textField(method, message, name) !== textField(method, first, name));
    if (other !== undefined) throw malformedRequest(`all messages of a call have the same ${other}`);
    yield message;
  }
}

// A body may name the organization. A credential that reaches one organization only is checked before the body is read,
// so that who may not call anyway cannot make the server read it.
async function readOrganization(
  { method, contextValues }: UnaryRequest | StreamRequest,
  access: Access,
  credential: Credential,
): Promise<void> {
  if (isParameter(method, access.orgField)) return;
  const [only, other] = organizationsOf(credential);
  if (only === undefined) throw unreached(credential);
  if (other === undefined) assertPermitted(access, credential, credential.roles.get(only));
  await contextValues.get(connectionKey).readBody?.();
}

function organizationsOf({ orgId, roles }: Credential): readonly string[] {
  return orgId === undefined ? [...roles.keys()] : [orgId];
}

function reachedOrganization(
  access: Access,
  credential: Credential,
  method: DescMethod,
  message: Message | undefined,
): string {
  const own = organizationsOf(credential);
  const named = access.orgField === "" ? "" : textField(method, message, access.orgField).toLowerCase();
  if (access.orgField !== "" && !(access.orgFromCredential && named === "")) {
    const reached = own.find((orgId) => orgId.toLowerCase() === named);
    if (reached === undefined) throw unreached(credential, named);
    return reached;
  }
  const [only, other] = own;
  if (only === undefined) throw unreached(credential);
  if (other === undefined) return only;
  if (access.orgFromCredential)
    throw validationFailed([
      { field: access.orgField, message: "you are a member of several organizations; name one" },
    ]);
  throw insufficientScope("this credential reaches several organizations, and the call names none");
}

/** Why the credential does not reach the organization, or any when it names none. Only members learn what it demands. */
function unreached({ ssoRequired: provider, secondFactorRequired: factor }: Credential, named?: string): Fault {
  const is = (demanding: ReadonlySet<string> | undefined) =>
    named === undefined ? (demanding?.size ?? 0) > 0 : demanding?.has(named) === true;
  if (is(provider)) return ssoRequired();
  return is(factor) ? secondFactorRequired() : foreignOrganization();
}

function assertPermitted(access: Access, { kind, providerOrgId }: Credential, role: Role | undefined): void {
  switch (lackOf(access, { kind, role, isProvided: providerOrgId !== undefined })) {
    case "kind": {
      const kinds = new Intl.ListFormat("en").format(access.kinds.map(kindName));
      throw insufficientScope(`this operation is for ${kinds}; yours is ${holderName(kind)}`);
    }
    case "role": {
      const needed = roleName(access.leastRole);
      throw insufficientScope(`this operation needs the role ${needed}`, { role: needed });
    }
    case "account":
      throw insufficientScope(
        "a session of single sign-on reaches its organization only; sign in with the account's password",
      );
    default:
  }
}

// Refused whether or not the other project exists. A token without project reaches all of its organization.
function checkProject(
  { projectField, envField }: Access,
  { projectId, environment }: Credential,
  method: DescMethod,
  message: Message | undefined,
): void {
  if (projectField !== "" && projectId !== undefined) {
    const named = textField(method, message, projectField).toLowerCase();
    if (named !== projectId.toLowerCase()) throw insufficientScope("this token is for another project");
  }
  if (envField !== "" && environment !== undefined && textField(method, message, envField) !== environment) {
    throw insufficientScope("this token is for another environment");
  }
}

function textField(method: DescMethod, message: Message | undefined, name: string): string {
  const localName = method.input.fields.find((field) => field.name === name)?.localName ?? "";
  // Generated types have no index signature; start-up has checked that the field exists and is a string.
  const value = (message as Readonly<Record<string, unknown>> | undefined)?.[localName];
  return typeof value === "string" ? value : "";
}

function kindName(kind: CredentialKind): string {
  return kind === CredentialKind.MEMBER ? "members" : `${wireName(CredentialKindSchema, kind)} tokens`;
}

function holderName(kind: CredentialKind): string {
  if (kind === CredentialKind.MEMBER) return "a member's session";
  return `${kind === CredentialKind.ADMIN ? "an" : "a"} ${wireName(CredentialKindSchema, kind)} token`;
}

function roleName(role: Role): string {
  return wireName(RoleSchema, role);
}

function wireName(schema: DescEnum, number: number): string {
  const value = schema.value[number];
  return value === undefined ? String(number) : getOption(value, wire);
}
