// The part of autocannon's interface that benches use; the package has no types of its own.
declare module "autocannon" {
  interface Request {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Makes a request of this one, each time that it is sent. */
    readonly setupRequest?: (request: Request) => Request;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Requests after which a connection is made anew. */
    readonly reconnectRate?: number;
    readonly requests: readonly Request[];
  }
  interface Result {
    readonly requests: { readonly total: number };
    /** Seconds. */
    readonly duration: number;
    readonly statusCodeStats?: Readonly<Record<string, { readonly count: number }>>;
    readonly errors: number;
  }
  function autocannon(options: Options): Promise<Result>;
  export = autocannon;
}
