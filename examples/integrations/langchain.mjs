// LangChain JS: a chain whose first step judges the messages and whose last step judges the answer, and a retriever
// whose documents are judged before they reach the prompt.

import { AIMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";

const roles = { human: "user", ai: "assistant", system: "system", tool: "tool" };

/** `model` with the guard before and behind it. */
export function guardedModel(model, guard) {
  const before = RunnableLambda.from(async (messages) => {
    const judged = await guard.input(messages.map(({ type, content }) => ({ role: roles[type] ?? "user", content })));
    return messages.map((message, index) => withContent(message, judged.messages[index].content));
  });
  const after = RunnableLambda.from(async (answer) => {
    const calls = (answer.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, arguments: args }));
    const { allowed } = await guard.toolCalls(calls);
    return new AIMessage({
      content: answer.text === "" ? "" : (await guard.output(answer.text)).text,
      tool_calls: allowed.map(({ id, name, arguments: args }) => ({ id, name, args })),
    });
  });
  return before.pipe(model).pipe(after);
}

/** `retriever` without the documents that the policy drops, and with the others as it rewrites them. */
export function guardedRetriever(retriever, guard) {
  return RunnableLambda.from(async (query) => {
    const documents = await retriever.invoke(query);
    const passages = documents.map((document) => ({
      text: document.pageContent,
      origin: document.metadata.source,
      document,
    }));
    const { kept } = await guard.retrieval(passages);
    return kept.map(({ text, document }) => ({ ...document, pageContent: text }));
  });
}

function withContent(message, content) {
  if (message.content === content) return message;
  const { constructor: Message } = message;
  return new Message({ ...message.lc_kwargs, content });
}
