// OpenAI's SDK: a guard around chat completions, at once and streamed, with tool calls.

/** Asks the model. The messages are judged before, the answer and the calls after; throws a BlockedError. */
export async function guardedCompletion(openai, guard, request) {
  const { messages } = await guard.input(request.messages);
  const completion = await openai.chat.completions.create({ ...request, messages });
  const [choice] = completion.choices;
  const { content, tool_calls: proposed = [] } = choice.message;
  const { allowed, blocked } = await guard.toolCalls(proposed.map(callOf));
  return {
    text: content === null ? null : (await guard.output(content)).text,
    calls: allowed,
    blockedCalls: blocked.map(({ call }) => call),
  };
}

/** A call of a function has JSON as its arguments; that of a custom tool has any text, which is judged as `input`. */
function callOf({ id, function: called, custom }) {
  if (custom !== undefined) return { id, name: custom.name, arguments: { input: custom.input } };
  return { id, name: called.name, arguments: called.arguments };
}

/** Yields the answer while it comes, as far as it may go on. */
export async function* guardedStream(openai, guard, request) {
  const { messages } = await guard.input(request.messages);
  const chunks = await openai.chat.completions.create({ ...request, messages, stream: true });
  async function* texts() {
    for await (const { choices } of chunks) yield choices[0]?.delta.content ?? "";
  }
  yield* guard.streamFrom(texts());
}
