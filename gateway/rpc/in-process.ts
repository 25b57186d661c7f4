// A transport to handlers in the same process: messages go as they are, with neither encoding nor copies, through the
// same interceptors that a call over the network passes. Connect's own in-memory transport encodes each message four
// times, drops the caller's context values, and leaves a stream's handler waiting for ever when its caller leaves.

import { create, type DescMessage, type DescMethod, type Message } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
  createHandlerContext,
  createMethodImplSpec,
  type HandlerContext,
  type MethodImplSpec,
  type Transport,
} from "@connectrpc/connect";
import { invokeUnaryImplementation, transformInvokeImplementation } from "@connectrpc/connect/protocol";

type Spec = MethodImplSpec<DescMessage, DescMessage>;
type UnarySpec = Spec & { readonly kind: "unary" };
type Context = HandlerContext & { abort(reason?: unknown): void };

/** A transport to the handlers that `routes` registers. */
export function createInProcessTransport(
  routes: (router: ConnectRouter) => void,
  { interceptors = [], shutdownSignal }: Pick<ConnectRouterOptions, "interceptors" | "shutdownSignal">,
): Transport {
  const specs = collectSpecs(routes);
  const begin = (method: DescMethod, call: CallFacts, ending?: AbortSignal) => {
    const spec = specs.get(method);
    if (spec === undefined) {
      throw new ConnectError(`${method.parent.typeName}.${method.name} is not implemented`, Code.Unimplemented);
    }
    return { spec, context: contextOf(method, call, ending) };
  };
  return {
    // A call with one answer is let finish while the server closes: its work may be done already, and its caller could
    // not know. The grace of the server ends what takes longer.
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      const { spec, context } = begin(method, { signal, timeoutMs, header, contextValues });
      try {
        const request = create(method.input, input);
        const call = invokeUnaryImplementation(spec as UnarySpec, context, request, interceptors);
        const message = await endedBy(context.signal, call);
        return { ...answerOf(method, context), stream: false, message: message as never }; // the method's own output
      } finally {
        context.abort(callEnded);
      }
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      const { spec, context } = begin(method, { signal, timeoutMs, header, contextValues }, shutdownSignal);
      const output = transformInvokeImplementation(spec, context, interceptors)(created(method.input, input));
      const message = await begun(output, context);
      return { ...answerOf(method, context), stream: true, message: message as never }; // the method's own output
    },
  };
}

type CallFacts = {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly header: HeadersInit | undefined;
  readonly contextValues: HandlerContext["values"] | undefined;
};

function collectSpecs(routes: (router: ConnectRouter) => void): ReadonlyMap<DescMethod, Spec> {
  const specs = new Map<DescMethod, Spec>();
  const router = createConnectRouter();
  const collector: ConnectRouter = {
    handlers: router.handlers,
    service(service, implementation) {
      const methods: Record<string, unknown> = { ...implementation };
      for (const method of service.methods) {
        const call = methods[method.localName];
        // Handlers are bound, since an implementation may be an object with methods.
        if (typeof call === "function")
          specs.set(method, createMethodImplSpec(method, call.bind(implementation) as never));
      }
      return collector;
    },
    rpc(method, implementation) {
      specs.set(method, createMethodImplSpec(method, implementation as never)); // the types of one method, erased
      return collector;
    },
  };
  routes(collector);
  return specs;
}

function contextOf(method: DescMethod, call: CallFacts, shutdownSignal: AbortSignal | undefined): Context {
  return createHandlerContext({
    service: method.parent,
    method,
    protocolName: "in-process",
    requestMethod: "POST",
    url: `https://in-process/${method.parent.typeName}/${method.name}`,
    timeoutMs: call.timeoutMs,
    shutdownSignal,
    requestSignal: call.signal,
    requestHeader: call.header,
    contextValues: call.contextValues,
  });
}

function answerOf<M extends DescMethod>(method: M, context: Context) {
  return { service: method.parent, method, header: context.responseHeader, trailer: context.responseTrailer };
}

async function* created(desc: DescMessage, inputs: AsyncIterable<unknown>): AsyncGenerator<Message> {
  for await (const input of inputs) yield create(desc, input as never); // an init of that type
}

/** Why a call's signal aborts after its end. One error for all calls: to make one costs more than many a call. */
const callEnded = new ConnectError("the call has ended", Code.Canceled);

/** The call, given up when the signal aborts: a handler that hangs must not hold its caller. */
function endedBy<T>(signal: AbortSignal, call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(ConnectError.from(signal.reason, Code.Canceled));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    const stay = () => signal.removeEventListener("abort", giveUp);
    call.then(
      (value) => {
        stay();
        resolve(value);
      },
      (error: unknown) => {
        stay();
        reject(error);
      },
    );
  });
}

/**
 * The output from its first message on, so that the headers which a handler sets before it are known. When the caller
 * leaves, a handler that waits is told, as it is by a network server: it may hold a database cursor.
 */
async function begun(output: AsyncIterable<Message>, context: Context): Promise<AsyncIterable<Message>> {
  const inner = output[Symbol.asyncIterator]();
  const { signal } = context;
  const leave = () => {
    inner.throw?.(signal.reason).catch(() => undefined); // it comes back as the error that it was told of
  };
  signal.addEventListener("abort", leave, { once: true });
  const end = () => {
    signal.removeEventListener("abort", leave);
    context.abort(callEnded);
  };
  let first: Promise<IteratorResult<Message>> | undefined = inner.next();
  try {
    await first;
  } catch (error) {
    end();
    throw error;
  }
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const result = await (first ?? inner.next());
          first = undefined;
          if (result.done === true) end();
          return result;
        } catch (error) {
          end();
          throw error;
        }
      },
      async return(value?: unknown) {
        signal.removeEventListener("abort", leave);
        const result = await inner.return?.(value);
        context.abort(callEnded);
        return result ?? { done: true, value };
      },
    }),
  };
}
