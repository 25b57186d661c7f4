// What pages need of the descriptors of calls and messages. The server reads rules, paths, permissions and audit actions
// from their options; a page reads only how enum values are spelled. And base64 hardly compresses, since the same name
// looks different at each place. So pages load half as much of descriptors as generated code holds.

import { create, fromBinary, getExtension, hasExtension, setExtension, toBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  EnumValueOptionsSchema,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import type { Plugin } from "vite";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";

/** A descriptor as generated code has it, decoded and without the options that pages do not read. */
export function leanDescriptor(descriptor: string): Uint8Array {
  const file = fromBinary(FileDescriptorProtoSchema, base64Decode(descriptor));
  forget(file);
  for (const message of file.messageType) trimMessage(message);
  for (const each of file.enumType) trimEnum(each);
  for (const field of file.extension) forget(field);
  for (const service of file.service) {
    forget(service);
    for (const method of service.method) forget(method);
  }
  return toBinary(FileDescriptorProtoSchema, file);
}

function trimMessage(message: DescriptorProto): void {
  forget(message);
  for (const field of [...message.field, ...message.extension]) forget(field);
  for (const oneof of message.oneofDecl) forget(oneof);
  for (const each of message.enumType) trimEnum(each);
  for (const nested of message.nestedType) trimMessage(nested);
}

function trimEnum(each: EnumDescriptorProto): void {
  forget(each);
  for (const value of each.value) {
    const { options } = value;
    const spelling = options !== undefined && hasExtension(options, wire) ? getExtension(options, wire) : undefined;
    forget(value);
    if (spelling === undefined) continue;
    value.options ??= create(EnumValueOptionsSchema);
    setExtension(value.options, wire, spelling);
  }
}

/** Takes away the options that are extensions. Those of Protobuf itself, such as whether a message is a map, stay. */
function forget({ options }: { readonly options?: { $unknown?: unknown } | undefined }): void {
  if (options !== undefined) delete options.$unknown;
}

/** Files that only declare such options. */
const unread = ["file_buf_validate_validate", "file_google_api_annotations"];

/** Makes the descriptors of generated modules lean while the console is built. */
export const leanDescriptors: Plugin = {
  name: "lean-descriptors",
  enforce: "pre",
  transform: {
    filter: { id: /\/gen\/.*_pb\.ts$/ },
    handler(code) {
      return { code: leanModule(code), map: null };
    },
  },
};

/** A generated module with its descriptor made lean. */
export function leanModule(code: string): string {
  return code.replace(/fileDesc\("([^"]+)"(?:, \[([^\]]*)\])?\)/, (_, descriptor: string, files = "") => {
    const left = String(files)
      .split(", ")
      .filter((name) => name !== "" && !unread.includes(name));
    const bytes = String.fromCharCode(...leanDescriptor(descriptor));
    return `fileDesc(/*@__PURE__*/ btoa(${JSON.stringify(bytes)}), [${left.join(", ")}])`;
  });
}
