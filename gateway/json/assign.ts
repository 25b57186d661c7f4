import type { DescField, Message } from "@bufbuild/protobuf";

/** Sets a field of a message to a value that a reader made; undefined leaves it unset. */
export function createFieldAssigner(field: DescField): (message: Message, value: unknown) => void {
  const { oneof, localName } = field;
  return (message, value) => {
    if (value === undefined) return;
    const fields = message as unknown as Record<string, unknown>; // written to by name, which only a cast can express
    if (oneof === undefined) fields[localName] = value;
    else fields[oneof.localName] = { case: localName, value };
  };
}
