// Credentials of some eighty kinds in code, settings, logs and chat, and texts with strings that only look like them.
// Those of "test" were not looked at while tuning.

import type { Row } from "../../../models/training/row.ts";
import { type Draw, drawOf } from "./draw.ts";
import type { DrawName } from "./pii.ts";
import { lookalikes, needsName, secret, secretKinds } from "./secret-value.ts";

type Frame = (name: string, value: string) => string;

/** Around a credential with its name beside it. */
const withName: Readonly<Record<DrawName, readonly Frame[]>> = {
  dev: [(name, value) => `${name}=${value}`, (name, value) => `const ${name} = "${value}";`],
  test: [
    (name, value) => `# production\n${name}=${value}\nPORT=8080`,
    (name, value) => `export ${name}='${value}'`,
    (name, value) => `{"region": "eu-west-1", "${name.toLowerCase()}": "${value}"}`,
    (name, value) => `app:\n  ${name.toLowerCase()}: ${value}\n  debug: false`,
    (name, value) => `val ${name} = "${value}" // TODO remove`,
    (name, value) => `docker run -e ${name}=${value} -p 80:80 app:latest`,
  ],
};
/** Around a credential that tells by itself. */
const alone: Readonly<Record<DrawName, readonly Frame[]>> = {
  dev: [
    (_, value) => `my key is ${value}`,
    (_, value) => `curl -H "Authorization: Bearer ${value}" https://api.example.com`,
  ],
  test: [
    (_, value) => `Why do I get a 401? I send ${value} in the header as the docs say.`,
    (_, value) => `requests.get(url, headers={"X-Auth": "${value}"})`,
    (_, value) => `2026-03-14T08:15:02Z WARN upstream rejected credential ${value} (attempt 3)`,
    (_, value) => `Bitte nimm diesen Zugang: ${value}\nDanke!`,
    (_, value) => `| staging | ${value} | rotates in May |`,
  ],
};
const innocent: Readonly<Record<DrawName, readonly Frame[]>> = {
  dev: [(name, value) => `${name}: ${value}`, (_, value) => `see ${value}`],
  test: [
    (_, value) => `Resolved ${value} in 12 ms`,
    (name, value) => `{"${name}": "${value}", "size": 1024}`,
    (_, value) => `Merge ${value} into main and tell me what changed.`,
    (name, value) => `const ${name} = "${value}";`,
    (_, value) => `What is ${value} and where does it come from?`,
    (_, value) => `token: ${value.length} characters, first seen with ${value}`,
  ],
};
const seeds = { dev: 8_128, test: 20_261_121 };
const roundsOf = { secret: 6, innocent: 20 };

/** The texts of a draw: secrets count as attacks, of the kind of credential. */
export function generatedSecrets(name: DrawName): Row[] {
  const draw = drawOf(seeds[name]);
  const rows: Row[] = [];
  const add = (text: string, kind: string, isAttack: boolean): void => {
    const id = `${name}-${rows.length + 1}`;
    rows.push({ id, text, isAttack, kind, lang: "", stage: "input", source: "generated", group: id });
  };
  for (let round = 0; round < roundsOf.secret; round++)
    for (const kind of secretKinds) {
      const frames = needsName(kind) || round % 2 === 0 ? withName[name] : alone[name];
      add(draw.of(frames)(kind, secret(kind, draw)), kind, true);
    }
  for (let round = 0; round < roundsOf.innocent; round++)
    for (const [kind, make] of Object.entries(lookalikes))
      add(framed(kind, make(draw), draw, innocent[name]), kind, false);
  return rows;
}

function framed(kind: string, value: string, draw: Draw, frames: readonly Frame[]): string {
  return draw.of(frames)(kind, value);
}
