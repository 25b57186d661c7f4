// What the parent of a host of models passes to it, and what the host says over their channel.

/** The settings of one host. */
export interface HostOptions {
  /** The folder of the models. */
  readonly folder: string;
  /** Runs at once. */
  readonly threads: number;
  /** The Unix socket on which it is asked. */
  readonly socket: string;
  /** Where it notes what it works on. */
  readonly flightFile: string;
  /** Inputs that crashed hosts, and until when they are refused, in milliseconds since 1970. */
  readonly barred: Readonly<Record<string, number>>;
  /** How many hosts came before it. */
  readonly restarts: number;
}

/** A line for the log of the parent. */
export interface HostLine {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}
