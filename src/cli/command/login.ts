import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { tokenKind } from "../../kit/crypto/token.ts";
import { defineCommand, type Surroundings } from "../command.ts";
import { identify } from "../credential.ts";
import { exitCodes, usageFailure } from "../failure.ts";
import { readStream } from "../file.ts";
import { serverAt } from "../server.ts";
import { keepConnection, plainUrl } from "../settings.ts";

const maxTokenBytes = 4096;

/** `policy-guard login`: stores the address of a server and a token for it. */
export const login = defineCommand({
  name: "login",
  summary: "Store the address of a server and a token for it.",
  positionals: { label: "", min: 0, max: 0 },
  options: {
    url: { type: "string", value: "URL", help: "The control plane; default: POLICY_GUARD_URL." },
    org: { type: "string", value: "ID", help: "The organization that commands are about; default: POLICY_GUARD_ORG." },
    "token-stdin": { type: "boolean", help: "Read the token from standard input instead of asking for it." },
  },
  notes: `The token is tried first. It is kept in policy-guard/credentials.json below XDG_CONFIG_HOME (~/.config), where only
this user can read it. POLICY_GUARD_URL with POLICY_GUARD_TOKEN goes before what is kept.`,
  async run({ values, output, world }) {
    const url = plainUrl(values.url ?? world.env.POLICY_GUARD_URL ?? "");
    if (!URL.canParse(url) || !/^https?:/i.test(url)) {
      throw usageFailure("--url takes the address of a control plane, such as https://guard.example.com");
    }
    if (isInsecure(url)) output.note(`Take care: ${url} is not encrypted, and the token is sent there.`);
    const token = (await readToken(values["token-stdin"] === true, world)).trim();
    if (tokenKind(token) === undefined) {
      throw usageFailure("this is not a token of Policy Guard, or it is incomplete");
    }
    const connection = { url, token, orgId: values.org ?? (world.env.POLICY_GUARD_ORG || undefined) };
    const { kind, orgId } = await identify(serverAt(connection), undefined);
    const path = keepConnection({ ...connection, orgId: orgId ?? connection.orgId }, world.env);
    output.line(`logged in at ${url} with ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} credential; kept in ${path}`);
    output.json({ url, credential: kind, org_id: orgId ?? null, file: path });
    return exitCodes.fine;
  },
});

function isInsecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

async function readToken(fromStdin: boolean, { stdin, stderr }: Surroundings): Promise<string> {
  if (fromStdin) return readStream(stdin, maxTokenBytes);
  if (!stdin.isTTY)
    throw usageFailure("there is no terminal on which to ask for the token", "Pass --token-stdin and pipe it in.");
  // Typed characters are not echoed.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  stderr.write("Token: ");
  try {
    return await lines.question("");
  } finally {
    lines.close();
    stderr.write("\n");
  }
}
