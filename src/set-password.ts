// `npm run set-password -- <address> [--remove-second-factor]`: the operator's way to let somebody back in. Takes the new password
// from standard input when something is piped in, and makes one up otherwise.

import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { setPasswordSchema } from "./config.ts";
import { PasswordHasher } from "./domain/password-hash.ts";
import { PasswordRecovery } from "./domain/password-recovery.ts";
import { systemClock } from "./kit/clock.ts";
import { productVariables, readConfig } from "./kit/config.ts";
import { Fault } from "./kit/error.ts";
import { newId } from "./kit/id.ts";
import { openDatabase } from "./store/database.ts";

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "remove-second-factor": { type: "boolean", default: false } },
  });
  const [email] = positionals;
  if (email === undefined || positionals.length > 1) {
    console.error(
      "npm run set-password -- <e-mail address> [--remove-second-factor]   (the new password on standard input)",
    );
    return 2;
  }
  const given = process.stdin.isTTY ? "" : (await text(process.stdin)).split(/\r?\n/)[0];
  const password = given || randomBytes(15).toString("base64url");
  try {
    await recover({ email, password, removeFactor: values["remove-second-factor"] });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    console.error(error.message);
    return 1;
  }
  console.log(given ? "The password is set; every session has ended." : `The new password is ${password}`);
  return 0;
}

async function recover(recovery: { email: string; password: string; removeFactor: boolean }): Promise<void> {
  const { databaseUrl } = readConfig(setPasswordSchema, process.env, productVariables);
  const database = await openDatabase({ url: databaseUrl, poolSize: 2, clock: systemClock });
  try {
    const audit = { action: "account.password_set", requestId: newId(), address: "" };
    await new PasswordRecovery(database, systemClock, new PasswordHasher()).recover(recovery, audit);
  } finally {
    await database.close();
  }
}
