// Connect's in-memory transport, with two things mended that Connect's own createRouterTransport drops on the way: the caller's
// context values reach the handlers (they cross beside the call, in its asynchronous context), and so does a caller's leaving.

import { AsyncLocalStorage } from "node:async_hooks";
import {
  type ConnectRouter,
  type ConnectRouterOptions,
  type ContextValues,
  createConnectRouter,
  type Transport,
} from "@connectrpc/connect";
import {
  createUniversalHandlerClient,
  type UniversalHandler,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { createTransport } from "@connectrpc/connect/protocol-connect";

/** A transport to handlers in the same process. They get the context values that the call was made with. */
export function createInProcessTransport(
  routes: (router: ConnectRouter) => void,
  options: ConnectRouterOptions,
): Transport {
  const router = createConnectRouter({ ...options, connect: true });
  routes(router);
  const context = new AsyncLocalStorage<ContextValues | undefined>();
  const transport = createTransport({
    httpClient: createUniversalHandlerClient(router.handlers.map((handler) => withContext(handler, context))),
    baseUrl: "https://in-process",
    useBinaryFormat: true,
    interceptors: [],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: Number.MAX_SAFE_INTEGER,
    // The gateway bounds bodies before they become messages, and answers are our own.
    readMaxBytes: Number.MAX_SAFE_INTEGER,
    writeMaxBytes: Number.MAX_SAFE_INTEGER,
  });
  return {
    unary: (method, signal, timeoutMs, header, input, values) =>
      context.run(values, () => transport.unary(method, signal, timeoutMs, header, input, values)),
    stream: (method, signal, timeoutMs, header, input, values) =>
      context.run(values, () => transport.stream(method, signal, timeoutMs, header, input, values)),
  };
}

type HandlerCall = (request: UniversalServerRequest) => Promise<UniversalServerResponse>;

function withContext(
  handler: UniversalHandler,
  context: AsyncLocalStorage<ContextValues | undefined>,
): UniversalHandler {
  const call: HandlerCall = async (request) => {
    const response = await handler({ ...request, contextValues: context.getStore() });
    return response.body === undefined ? response : { ...response, body: ended(response.body, request.signal) };
  };
  return Object.assign(call, handler);
}

/**
 * The same bytes; when the caller leaves, the handler is told, as it is by a network server. Connect's in-memory client does
 * not pass that on, and a generator that nobody resumes would hold its database cursor for ever.
 */
function ended(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const inner = body[Symbol.asyncIterator]();
  const leave = () => {
    inner.throw?.(signal.reason).catch(() => undefined); // it comes back as the error that it was told of
  };
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const stay = () => signal.removeEventListener("abort", leave);
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await inner.next();
        if (result.done === true) stay();
        return result;
      },
      async return(value?: unknown) {
        stay();
        return (await inner.return?.(value)) ?? { done: true, value };
      },
    }),
  };
}
