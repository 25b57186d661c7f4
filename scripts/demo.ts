// `npm run demo`: plays the whole story against the running system and shows what it sent and got. `npm run demo --
// billing` plays the story of a bill instead. Exits with 1 when a step fails.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { billingStory } from "./demo/billing-story.ts";
import type { Facts } from "./demo/facts.ts";
import { callingPayer } from "./demo/payer.ts";
import { Stage } from "./demo/stage.ts";
import { story } from "./demo/story.ts";

const file = join(resolve(process.env.POLICY_GUARD_DATA || "var"), "bootstrap.json");
const stage = new Stage(console.log);
try {
  const facts: Facts = JSON.parse(readFileSync(file, "utf8"));
  const [name = ""] = process.argv.slice(2);
  if (name !== "" && name !== "billing") throw new Error(`there is no story ${name}; leave it out, or say billing`);
  if (name === "billing") await billingStory(facts, stage, callingPayer);
  else await story(facts, stage);
  console.log(`\nAll ${stage.count} steps went as promised.`);
} catch (error) {
  const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
  console.error(`\n${missing ? `${file} is not there; run npm start in another terminal first` : String(error)}`);
  process.exitCode = 1;
}
