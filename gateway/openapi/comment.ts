// Comments of Protobuf definitions, which only descriptors with source info have; generated code carries none.

import type { DescFile } from "@bufbuild/protobuf";
import type { DescriptorProto, EnumDescriptorProto, FileDescriptorProto } from "@bufbuild/protobuf/wkt";

/** Anything that a comment can stand before. */
interface Commented {
  readonly proto: object;
}

/** Comments by what they stand before. */
export interface Comments {
  /** The comment, its line breaks folded; "" when there is none. */
  of(desc: Commented): string;
}

/** Reads the comments of files. */
export function readComments(files: Iterable<DescFile>): Comments {
  const comments = new Map<object, string>();
  for (const file of files) readFile(file.proto, comments);
  return { of: (desc) => comments.get(desc.proto) ?? "" };
}

/** A descriptor proto at its path within the file (descriptor.proto, SourceCodeInfo.Location.path). */
type Visit = (proto: object, path: string) => void;

function readFile(file: FileDescriptorProto, comments: Map<object, string>): void {
  const byPath = new Map<string, string>();
  for (const { path, leadingComments } of file.sourceCodeInfo?.location ?? []) {
    if (leadingComments !== "") byPath.set(path.join(), folded(leadingComments));
  }
  const visit: Visit = (proto, path) => {
    const comment = byPath.get(path);
    if (comment !== undefined) comments.set(proto, comment);
  };
  file.messageType.forEach((message, i) => {
    visitMessage(message, `4,${i}`, visit);
  });
  file.enumType.forEach((desc, i) => {
    visitEnum(desc, `5,${i}`, visit);
  });
  file.service.forEach((service, i) => {
    visit(service, `6,${i}`);
    for (const [j, method] of service.method.entries()) visit(method, `6,${i},2,${j}`);
  });
}

function visitMessage(message: DescriptorProto, path: string, visit: Visit): void {
  visit(message, path);
  for (const [i, field] of message.field.entries()) visit(field, `${path},2,${i}`);
  for (const [i, nested] of message.nestedType.entries()) visitMessage(nested, `${path},3,${i}`, visit);
  for (const [i, desc] of message.enumType.entries()) visitEnum(desc, `${path},4,${i}`, visit);
}

function visitEnum(desc: EnumDescriptorProto, path: string, visit: Visit): void {
  visit(desc, path);
  for (const [i, value] of desc.value.entries()) visit(value, `${path},2,${i}`);
}

/** Lines of one paragraph become one line; an empty line stays a paragraph break. */
function folded(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim()
    .replace(/(?<!\n)\n(?!\n|[-*] )/g, " ");
}

/** The first sentence, without its full stop. */
export function firstSentence(text: string): string {
  const end = /[.:;](?=\s|$)/.exec(text);
  return end === null ? text : text.slice(0, end.index);
}
