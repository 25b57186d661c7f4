// Vercel's AI SDK: a middleware for `wrapLanguageModel`. Prompts are judged before the model; texts, and what the model
// shows of its reasoning, after it and while they are streamed; proposed tool calls before the SDK runs them. Judge
// what tools return in their `execute`, with `toolResult`. A block is thrown as a BlockedError; in a stream it is the
// last part.

import { BlockedError } from "@policyguard/client/guard";

/** Guards a language model. */
export function guardMiddleware(guard) {
  return {
    specificationVersion: "v4",

    async transformParams({ params }) {
      const { messages } = await guard.input(params.prompt);
      return { ...params, prompt: messages };
    },

    async wrapGenerate({ doGenerate }) {
      const result = await doGenerate();
      const content = [];
      for (const part of result.content) {
        if (isText(part.type)) content.push({ ...part, text: (await guard.output(part.text)).text });
        else content.push(part.type === "tool-call" ? await judgedCall(guard, part) : part);
      }
      return { ...result, content };
    },

    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: guardedParts(guard, stream) };
    },
  };
}

/** Whether a part of an answer, or of a stream of one, has text for people. */
function isText(type) {
  return /^(text|reasoning)(-|$)/.test(type);
}

/** The call with its arguments; throws when it must not be made. */
async function judgedCall(guard, part) {
  const { allowed, blocked, decision } = await guard.toolCalls([
    { id: part.toolCallId, name: part.toolName, arguments: part.input },
  ]);
  if (blocked.length > 0) throw new BlockedError("tool_call", decision);
  return { ...part, input: allowed[0].arguments };
}

/** The parts of a stream, with the text of each block as far as it may go on. A block is the last part. */
function guardedParts(guard, stream) {
  const blocks = new Map();
  const judged = async (part, controller) => {
    const [kind, what] = isText(part.type) ? part.type.split("-") : [];
    const id = `${kind} ${part.id}`;
    if (what === "start") {
      const release = (delta) => controller.enqueue({ type: `${kind}-delta`, id: part.id, delta });
      blocks.set(id, openBlock(guard, release));
    }
    if (what === "delta") return void (await blocks.get(id).write(part.delta));
    if (what === "end") await blocks.get(id).end();
    // A call is judged as a whole: its arguments are not shown before that.
    if (part.type.startsWith("tool-input-")) return;
    controller.enqueue(part.type === "tool-call" ? await judgedCall(guard, part) : part);
  };
  return stream.pipeThrough(
    new TransformStream({
      async transform(part, controller) {
        try {
          await judged(part, controller);
        } catch (error) {
          controller.enqueue({ type: "error", error });
          controller.terminate();
        }
      },
    }),
  );
}

/** A text block that is judged while it comes. */
function openBlock(guard, release) {
  const { readable, writable } = guard.stream();
  const writer = writable.getWriter();
  // A failure of the reader is thrown at the next write, and at the end.
  const reading = readable.pipeTo(new WritableStream({ write: release }));
  reading.catch(() => undefined);
  // A block also closes the writer, which then fails for its own reason: the reader knows why.
  const unlessBlocked = (writing) =>
    Promise.race([writing, reading]).catch(async (error) => {
      await reading;
      throw error;
    });
  return {
    write: (delta) => unlessBlocked(writer.write(delta)),
    async end() {
      await unlessBlocked(writer.close());
      await reading;
    },
  };
}
