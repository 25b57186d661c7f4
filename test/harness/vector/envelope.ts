// Messages in the envelopes in which gRPC sends them: flags, the length of the message, and the message.

const headBytes = 5;

/** A message in its envelope. */
export function framed(message: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt8(flags);
  head.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([head, message]);
}

/** The messages of a body, without their envelopes. Throws when one is compressed, or cut off. */
export function messagesIn(body: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    if (body[at] !== 0) throw new Error(`an envelope has the flags ${body[at]}`);
    const end = at + headBytes + body.readUInt32BE(at + 1);
    if (end > body.length) throw new Error("the last envelope is cut off");
    messages.push(body.subarray(at + headBytes, end));
    at = end;
  }
  return messages;
}
