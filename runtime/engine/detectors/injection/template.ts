// Injection rules for forged chat templates. Their tokens and role names are the same in every language.

import type { Rule } from "../../languages/injection-part.ts";

/** The rules. */
export const templateRules: readonly Rule[] = [
  {
    family: "template_forging",
    weight: 0.75,
    pattern:
      "<\\|(?:im_end|end|eot_id|endoftext|/user)\\|> ?<\\|(?:im_start|start_header_id|system)\\|> ?(?:system|assistant|developer)?",
  },
  {
    family: "template_forging",
    weight: 0.55,
    pattern:
      "<\\|(?:im_start|start_header_id)\\|> ?(?:system|developer)(?:<\\|end_header_id\\|>)? ?(?:you|ignore|disregard|new|forget|override|from|the|all)\\b",
  },
  {
    family: "template_forging",
    weight: 0.4,
    pattern:
      "<\\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text)\\|>",
  },
  {
    family: "template_forging",
    weight: 0.4,
    caseSensitive: true,
    pattern: "\\[/?INST\\]|<</?SYS>>|<start_of_turn>|<end_of_turn>",
  },
  {
    family: "template_forging",
    weight: 0.7,
    pattern:
      "(?:#{2,} ?|\\[|<|\\*\\*|-{3,} ?|={3,} ?)/?(?:new |updated |end of |begin |start of |important |admin(?:istrator)? |priority )?(?:system|developer|admin)(?: prompt| message| instructions?| note| override| notice| update| command)(?:\\]|>|\\*\\*| ?-{3,}| ?#{2,}| ?={3,}|:)",
  },
  {
    family: "template_forging",
    weight: 0.5,
    pattern:
      "(?:\\[|<|\\(\\()/?(?:system|admin|developer|sys)(?:\\]|>|\\)\\)):? ?(?:you|ignore|disregard|new|override|forget|from now|the (?:user|assistant)|user|set|disable|enable|grant|all|reveal|print)",
  },
  {
    family: "template_forging",
    weight: 0.65,
    pattern:
      "\\b(?:end|conclusion|close) of (?:the )?(?:system|user|developer|original|initial|previous) (?:prompt|message|instructions?|input|query|text|document)\\b[\\s\\S]{0,60}\\b(?:new|begin|start|now|you|system|ignore|instructions?)\\b",
  },
  {
    family: "template_forging",
    weight: 0.55,
    pattern:
      "\\n ?(?:system|assistant|developer|human) ?: (?:you (?:are|must|will|should|may)|ignore|disregard|new|override|sure|ok(?:ay)?|forget|from now|understood|access|i (?:will|can) (?:now|comply))",
  },
  {
    family: "template_forging",
    weight: 0.55,
    pattern:
      '"role" ?: ?"(?:system|developer)" ?, ?"content" ?: ?"[^"]{0,80}(?:ignore|disregard|override|forget|reveal|unrestricted|no longer|no restrictions|must)',
  },
];
