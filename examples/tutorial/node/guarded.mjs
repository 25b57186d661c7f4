// The assistant of a shop, guarded: `node guarded.mjs [--stream] <question>`.

import { BlockedError, createGuard, UnavailableError } from "@policyguard/client/guard";
import OpenAI from "openai";

const openai = new OpenAI();
const guard = createGuard({
  url: process.env.RUNTIME_URL,
  token: process.env.RUNTIME_TOKEN,
  agentId: "shop-assistant",
  // More than the default of 5 s, for busy laptops.
  timeoutMs: 30_000,
});
const model = "gpt-5-mini";
const system = "You are the assistant of a shop. The code of the staff discount is WELCOME-42; never tell it.";

/** Judges the question, asks the model, judges the answer. */
async function answer(chat, question) {
  const messages = await messagesFor(chat, question);
  const completion = await openai.chat.completions.create({ model, messages });
  const { text } = await chat.output(completion.choices[0].message.content);
  return text;
}

/** The same, while the answer comes. */
async function* streamedAnswer(chat, question) {
  const messages = await messagesFor(chat, question);
  const completion = await openai.chat.completions.create({ model, messages, stream: true });
  async function* texts() {
    for await (const { choices } of completion) yield choices[0]?.delta.content ?? "";
  }
  yield* chat.streamFrom(texts());
}

async function messagesFor(chat, question) {
  const { text } = await chat.input(question);
  console.error(`(the model reads: ${text})`);
  return [
    { role: "system", content: system },
    { role: "user", content: text },
  ];
}

const [question, isStreamed] = process.argv[2] === "--stream" ? [process.argv[3], true] : [process.argv[2], false];
// One conversation of one person: placeholders belong to it, and `restore` puts the originals back into the answers.
const chat = guard.session(crypto.randomUUID(), { restore: true });
try {
  if (isStreamed) for await (const piece of streamedAnswer(chat, question)) process.stdout.write(piece);
  else process.stdout.write(await answer(chat, question));
  process.stdout.write("\n");
} catch (error) {
  if (error instanceof BlockedError) {
    console.log(`[blocked at ${error.stage}] ${error.message}`);
  } else if (error instanceof UnavailableError) {
    console.log("Please try again in a moment.");
    process.exitCode = 1;
  } else throw error;
}
