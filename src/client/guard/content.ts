// Chat messages as segments, and back: texts in `content`, which is a string or a list of parts as OpenAI's and
// Vercel's messages have it. Whatever has no text (images, calls) stays where it is and is not judged.

/** A message of a chat. Further members are kept. */
export interface ChatMessage {
  /** "system", "developer", "user", "assistant" or "tool". */
  readonly role: string;
  readonly content?: unknown;
}

/** One text of a list of messages. */
export interface MessageText {
  readonly id: string;
  readonly role: string;
  readonly text: string;
}

/** The texts of the messages that are not empty. */
export function textsOf(messages: readonly ChatMessage[]): MessageText[] {
  return messages.flatMap(({ role, content }, index) => {
    if (typeof content === "string") return content === "" ? [] : [{ id: `m${index}`, role, text: content }];
    if (!Array.isArray(content)) return [];
    return content.flatMap((part: unknown, at) =>
      hasText(part) && part.text !== "" ? [{ id: `m${index}.${at}`, role, text: part.text }] : [],
    );
  });
}

/** Copies of the messages with these texts, by id, in place of their own. */
export function withTexts<Message extends ChatMessage>(
  messages: readonly Message[],
  texts: ReadonlyMap<string, string>,
): Message[] {
  if (texts.size === 0) return [...messages];
  return messages.map((message, index) => {
    const { content } = message;
    if (typeof content === "string") return { ...message, content: texts.get(`m${index}`) ?? content };
    if (!Array.isArray(content)) return message;
    const parts = content.map((part: unknown, at) => {
      const text = texts.get(`m${index}.${at}`);
      return text !== undefined && hasText(part) ? { ...part, text } : part;
    });
    return { ...message, content: parts };
  });
}

function hasText(part: unknown): part is { readonly text: string } {
  return typeof part === "object" && part !== null && "text" in part && typeof part.text === "string";
}

/** The text with U+FFFD in place of halves of surrogate pairs, which no encoding can carry. Offsets stay. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
