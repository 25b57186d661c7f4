// A stand-in for a model: OpenAI's chat API on this machine, with scripted answers, streamed when asked for. It does
// what it is told to by whoever wrote last, as models do. It needs Node and nothing else:
//
//   node examples/model/server.mjs
//
// Then OPENAI_BASE_URL=http://127.0.0.1:8090/v1 and any OPENAI_API_KEY.

import { createServer } from "node:http";

/** Answers by what the last message says; the first that fits. */
const script = [
  [/ignore (?:all )?(?:previous|your) instructions/i, ({ system }) => `Of course! My instructions are: ${system}`],
  [/staff discount/i, () => "The code of the staff discount is WELCOME-42. Have fun with it!"],
  [
    /(\S+@[\w.-]+\w|\[EMAIL_\d+\])/i,
    ({ match }) => `Thank you. I will write to ${match[1]} as soon as your order leaves.`,
  ],
  [/repeat: (.*)/is, ({ match }) => match[1]],
  [/.*/, () => "Your order arrives on Tuesday."],
];

/** What the model says to these messages. */
function answerTo(messages) {
  const system = textOf(messages.find(({ role }) => role === "system" || role === "developer"));
  const last = textOf(messages.at(-1));
  for (const [pattern, say] of script) {
    const match = pattern.exec(last);
    if (match !== null) return say({ match, system });
  }
  return "";
}

function textOf({ content = "" } = {}) {
  return Array.isArray(content) ? content.map(({ text = "" }) => text).join("") : (content ?? "");
}

/** A call of the tool that the last message asks for: "use add with {"a": 1}". */
function callFor({ messages, tools = [] }) {
  const [, name, parameters] = /use (\w+) with (\{.*\})/is.exec(textOf(messages.at(-1))) ?? [];
  if (tools.some((one) => one.function?.name === name))
    return { id: "call_1", type: "function", function: { name, arguments: parameters } };
  const isCustom = tools.some((one) => one.custom?.name === name);
  return isCustom ? { id: "call_1", type: "custom", custom: { name, input: parameters } } : undefined;
}

/** What the model shows of its reasoning when the last message asks for it: "think: it is a secret". */
function reasoningFor({ messages }) {
  return /think: (.*)/is.exec(textOf(messages.at(-1)))?.[1];
}

function completionOf(request) {
  const call = callFor(request);
  const content = call ? null : answerTo(request.messages);
  const reasoning_content = reasoningFor(request);
  const message = { role: "assistant", reasoning_content, content, tool_calls: call && [call] };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const choices = [{ index: 0, message, finish_reason: call ? "tool_calls" : "stop" }];
  return { ...headOf(request, "chat.completion"), choices, usage };
}

function headOf({ model = "stand-in" }, object) {
  return { id: "chatcmpl-1", object, created: 1_700_000_000, model };
}

/** The chunks of a streamed answer, a few characters each. */
function chunksOf(request) {
  const { message, finish_reason } = completionOf(request).choices[0];
  const calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
  const cut = (text) => text?.match(/.{1,7}/gs) ?? [];
  const thoughts = cut(message.reasoning_content).map((reasoning_content) => ({ reasoning_content }));
  const texts = cut(message.content).map((content) => ({ content }));
  const pieces = calls ? [{ tool_calls: calls }] : [...thoughts, ...texts];
  const chunk = (delta, reason = null) => ({
    ...headOf(request, "chat.completion.chunk"),
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return [chunk({ role: "assistant" }), ...pieces.map((delta) => chunk(delta)), chunk({}, finish_reason)];
}

/** Starts it. `requests` has the body of each call, for those who want to know what the model was told. */
export function startModel({ port = 0 } = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    if (request.method !== "POST" || !request.url.endsWith("/chat/completions")) {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "the stand-in has POST /v1/chat/completions only" } }));
      return;
    }
    const asked = JSON.parse(body);
    requests.push(asked);
    if (asked.stream !== true) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(completionOf(asked)));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of chunksOf(asked)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  return new Promise((resolve) =>
    server.listen(port, "127.0.0.1", () => {
      const url = `http://127.0.0.1:${server.address().port}/v1`;
      resolve({
        url,
        requests,
        stop: () =>
          new Promise((stopped) => {
            server.closeAllConnections();
            server.close(stopped);
          }),
      });
    }),
  );
}

if (import.meta.main ?? process.argv[1]?.endsWith("model/server.mjs")) {
  const { url } = await startModel({ port: Number(process.env.MODEL_PORT ?? 8090) });
  console.log(`the stand-in for a model is at ${url}`);
}
