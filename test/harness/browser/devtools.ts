// The wire of the DevTools protocol: numbered calls and events of sessions, as JSON over one WebSocket.

// biome-ignore lint/suspicious/noExplicitAny: the protocol has hundreds of messages; each is read where its form is known
type Message = any;
type Listener = (method: string, params: Message) => void;

/** A connection to a browser. */
export class DevTools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve(result: Message): void; reject(error: Error): void }>();
  readonly #listeners = new Map<string, Listener>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#read(JSON.parse(String(data))));
    socket.addEventListener("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser has closed the connection"));
      this.#waiting.clear();
    });
  }

  /** Connects. */
  static connect(url: string): Promise<DevTools> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.addEventListener("open", () => resolve(new DevTools(socket)));
      socket.addEventListener("error", () => reject(new Error(`no connection to ${url}`)));
    });
  }

  /** Calls a method, of a session where one is named. Throws when the browser refuses. */
  send(method: string, params: object = {}, sessionId?: string): Promise<Message> {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Hands the events of a session to the listener. */
  listen(sessionId: string, listener: Listener): void {
    this.#listeners.set(sessionId, listener);
  }

  #read({ id, result, error, method, params, sessionId }: Message): void {
    if (id === undefined) this.#listeners.get(sessionId)?.(method, params);
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error.message));
  }
}
