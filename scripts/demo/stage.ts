// Calls that are shown as they are made, each compared with its expected answer.

/** One call of the story. */
export interface Shown {
  /** What happens, in a few words. */
  readonly title: string;
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body?: unknown;
  /** The expected statuses. */
  readonly promised: readonly number[];
}

/** An answer of the story. Members are read as the API documents them. */
export interface Told {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many operations, each read where its form is known
  readonly body: any;
}

const shownCharacters = 600;

/** Makes calls and shows them. */
export class Stage {
  readonly #print: (line: string) => void;
  /** Steps so far. */
  count = 0;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Announces a step. */
  step(title: string): void {
    this.count += 1;
    this.#print(`\n${this.count}. ${title}`);
  }

  /** Says something about what just happened. */
  say(text: string): void {
    this.#print(`   ${text}`);
  }

  /** Makes a call and shows it. Throws when the answer is not the expected one. */
  async call({ title, method, url, token, body, promised }: Shown): Promise<Told> {
    this.step(title);
    const sent = body === undefined ? "" : ` ${shorten(JSON.stringify(body))}`;
    this.say(`→ ${method} ${new URL(url).pathname}${new URL(url).search}${sent}`);
    const answer = await request(method, url, token, body);
    const got = answer.body === undefined ? "" : ` ${shorten(JSON.stringify(answer.body))}`;
    this.say(`← ${answer.status}${got}`);
    if (!promised.includes(answer.status)) {
      throw new Error(`expected ${promised.join(" or ")}, got ${answer.status}`);
    }
    return answer;
  }

  /** Throws unless the condition holds. */
  expect(condition: boolean, promise: string): void {
    if (!condition) throw new Error(`not as promised: ${promise}`);
    this.say(`✓ ${promise}`);
  }
}

/** The same call without showing it. */
export async function request(method: string, url: string, token: string | undefined, body?: unknown): Promise<Told> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

/** Repeats the question until the answer satisfies, for at most `limitMs`. */
export async function until<T>(ask: () => Promise<T | undefined>, limitMs: number, what: string): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not happen within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function shorten(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}
