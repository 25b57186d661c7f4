// How each peer is asked whether a text is an attack: with its defaults, at its own flag, and without its checks of
// other things. JavaScript, since the packages are not installed where the rest is type-checked.

import { vard } from "@andersmyrmel/vard";
import { PromptInjectionScanner } from "@llm-dev-ops/shield-sdk";
import { injectionGuard } from "@presidio-dev/hai-guardrails";
import { LLMGuard } from "llm-guard";
import { createPromptValidator } from "llm-inject-scan";
import { isInputSafe } from "llmverify";

// hai-guardrails starts a worker for its mode "heuristic" from a path of the machine that built it. That mode cannot be
// measured, and the worker that is not found must not end the bench.
process.on("uncaughtException", (error) => {
  if (!error.message.includes("hai-guardrails/node_modules/piscina")) throw error;
});

const moderate = vard.moderate();
const hai = injectionGuard({ roles: ["user"] }, { mode: "pattern", threshold: 0.5 });
const validate = createPromptValidator();
const llmGuard = new LLMGuard({ pii: false, profanity: false, toxicity: false, relevance: false });
const shield = new PromptInjectionScanner();

/** By the name of the package. */
export const flags = {
  "@andersmyrmel/vard": (text) => !moderate.safeParse(text).safe,
  "@llm-dev-ops/shield-sdk": async (text) => !(await shield.scan(text)).isValid,
  "@presidio-dev/hai-guardrails": async (text) => !(await hai([{ role: "user", content: text }]))[0].passed,
  "llm-guard": async (text) => !(await llmGuard.validate(text)).isValid,
  "llm-inject-scan": (text) => !validate(text).clean,
  llmverify: (text) => !isInputSafe(text),
};
