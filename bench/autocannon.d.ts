// The part of autocannon's interface that benches use; the package has no types of its own.
declare module "autocannon" {
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Requests after which a connection is made anew. */
    readonly reconnectRate?: number;
    /** Whether `[<id>]` in a body is replaced by what no other request has. */
    readonly idReplacement?: boolean;
    readonly requests: readonly {
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }[];
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
