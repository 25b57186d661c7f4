// `npm run set-password -- <address> [--remove-second-factor] [--confirm-address]`: the operator's way to let somebody
// back in. Reads the new password from standard input when something is piped in, and generates one otherwise.

import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { setPasswordSchema } from "./config.ts";
import { PasswordHasher } from "./domain/identity/password-hash.ts";
import { PasswordRecovery, type Recovery } from "./domain/identity/password-recovery.ts";
import { systemClock } from "./kit/process/clock.ts";
import { productVariables, readConfig } from "./kit/process/config.ts";
import { newId } from "./kit/process/id.ts";
import { runOrSay } from "./kit/process/start-failure.ts";
import { openDatabase } from "./store/connection/database.ts";

await runOrSay(main);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "remove-second-factor": { type: "boolean", default: false },
      "confirm-address": { type: "boolean", default: false },
    },
  });
  const [email] = positionals;
  if (email === undefined || positionals.length > 1) {
    console.error(
      "npm run set-password -- <e-mail address> [--remove-second-factor] [--confirm-address]   (the new password on standard input)",
    );
    return 2;
  }
  const given = process.stdin.isTTY ? "" : (await text(process.stdin)).split(/\r?\n/)[0];
  const password = given || randomBytes(15).toString("base64url");
  await recover({
    email,
    password,
    removeFactor: values["remove-second-factor"],
    confirmAddress: values["confirm-address"],
  });
  console.log(given ? "The password is set; every session has ended." : `The new password is ${password}`);
  return 0;
}

async function recover(recovery: Recovery): Promise<void> {
  const { databaseUrl } = readConfig(setPasswordSchema, process.env, productVariables);
  const database = await openDatabase({ url: databaseUrl, poolSize: 2, clock: systemClock });
  try {
    const audit = { action: "account.password_set", requestId: newId(), address: "" };
    await new PasswordRecovery(database, new PasswordHasher()).recover(recovery, audit);
  } finally {
    await database.close();
  }
}
