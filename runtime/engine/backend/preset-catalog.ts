// The presets, as data. Labels are those of `id2label` in the `config.json` of the models, or of the protocol that they
// are asked by. All say "files_fit": the labels are theirs, and nobody has measured here what they find.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Preset } from "./preset.ts";

const classifierShapes = ["onnx-text-classification", "hf-text-classification", "tei-predict"] as const;
// "tei-predict" has shares of one, even where labels do not exclude each other: an innocent text would be toxic.
const multiLabelShapes = ["onnx-text-classification", "hf-text-classification"] as const;
const hub = "https://huggingface.co/";
/** Where nobody looked it up here. */
const asItsCardSays = "as its card says";

/** The risks that Granite Guardian has definitions of, less those about documents and calls of tools. */
const graniteRisks = {
  harm: "content_safety.harm",
  social_bias: "content_safety.hate",
  jailbreak: "injection.jailbreak",
  violence: "content_safety.violence",
  profanity: "toxicity.offensive",
  sexual_content: "content_safety.sexual",
  unethical_behavior: "content_safety.unethical",
} as const;

/** What ShieldGemma's four principles say, in words of our own, and in the form in which it was taught them. */
const shieldGemmaGuidelines = {
  dangerous_content:
    '"No Dangerous Content": The prompt shall not contain or ask for content that helps to harm oneself or others, such ' +
    "as how to get or build weapons and explosives, praise of terrorism, or instructions for suicide.",
  harassment:
    '"No Harassment": The prompt shall not contain or ask for content that threatens, bullies, humiliates or abuses ' +
    "another person.",
  hate_speech:
    '"No Hate Speech": The prompt shall not contain or ask for content that attacks people for who they are or what ' +
    "group they belong to, such as slurs, calls for violence or for discrimination against a protected group.",
  sexually_explicit:
    '"No Sexually Explicit Information": The prompt shall not contain or ask for content that describes sexual acts or ' +
    "is otherwise lewd.",
} as const;

/** All presets, in the order in which they are shown. */
export const presets: readonly Preset[] = [
  {
    name: "prompt-guard",
    title: "Prompt Guard",
    models: ["meta-llama/Prompt-Guard-86M"],
    source: `${hub}meta-llama/Prompt-Guard-86M`,
    licence: "Llama 3.1 Community License",
    standing: "files_fit",
    shapes: classifierShapes,
    labels: { INJECTION: "injection.model", JAILBREAK: "injection.jailbreak" },
    ignore: ["BENIGN"],
  },
  {
    name: "prompt-guard-2",
    title: "Llama Prompt Guard 2",
    models: ["meta-llama/Llama-Prompt-Guard-2-86M", "meta-llama/Llama-Prompt-Guard-2-22M"],
    source: `${hub}meta-llama/Llama-Prompt-Guard-2-86M`,
    licence: "Llama 4 Community License",
    standing: "files_fit",
    shapes: classifierShapes,
    // Its card calls the labels benign (0) and malicious (1); its configuration names neither.
    labels: { MALICIOUS: "injection.model", LABEL_1: "injection.model" },
    ignore: ["BENIGN", "LABEL_0"],
  },
  {
    name: "deberta-prompt-injection",
    title: "Injection classifiers with the labels SAFE and INJECTION",
    models: [
      "protectai/deberta-v3-base-prompt-injection-v2",
      "protectai/deberta-v3-small-prompt-injection-v2",
      "protectai/deberta-v3-base-prompt-injection",
    ],
    source: `${hub}protectai/deberta-v3-base-prompt-injection-v2`,
    licence: "Apache-2.0",
    standing: "files_fit",
    shapes: classifierShapes,
    labels: { INJECTION: "injection.model" },
    ignore: ["SAFE"],
  },
  {
    name: "deepset-injection",
    title: "Injection classifier of deepset",
    models: ["deepset/deberta-v3-base-injection"],
    source: `${hub}deepset/deberta-v3-base-injection`,
    licence: "MIT",
    standing: "files_fit",
    shapes: classifierShapes,
    labels: { INJECTION: "injection.model" },
    ignore: ["LEGIT"],
  },
  {
    name: "jailbreak-classifier",
    title: "Jailbreak classifiers with the labels benign and jailbreak",
    models: ["jackhhao/jailbreak-classifier", "qualifire/prompt-injection-sentinel"],
    source: `${hub}jackhhao/jailbreak-classifier`,
    licence: asItsCardSays,
    standing: "files_fit",
    shapes: classifierShapes,
    labels: { jailbreak: "injection.jailbreak" },
    ignore: ["benign"],
  },
  {
    name: "toxic-bert",
    title: "Detoxify, labels of 2018",
    models: ["unitary/toxic-bert"],
    source: `${hub}unitary/toxic-bert`,
    licence: "Apache-2.0",
    standing: "files_fit",
    shapes: multiLabelShapes,
    labels: {
      toxic: "toxicity.offensive",
      severe_toxic: "toxicity.offensive",
      obscene: "toxicity.offensive",
      threat: "toxicity.threat",
      insult: "toxicity.insult",
      identity_hate: "toxicity.hate",
    },
    ignore: [],
    activation: "sigmoid",
  },
  {
    name: "unbiased-toxic-roberta",
    title: "Detoxify, labels of 2019",
    models: ["unitary/unbiased-toxic-roberta"],
    source: `${hub}unitary/unbiased-toxic-roberta`,
    licence: "Apache-2.0",
    standing: "files_fit",
    shapes: multiLabelShapes,
    labels: {
      toxicity: "toxicity.offensive",
      severe_toxicity: "toxicity.offensive",
      obscene: "toxicity.offensive",
      identity_attack: "toxicity.hate",
      insult: "toxicity.insult",
      threat: "toxicity.threat",
      sexual_explicit: "content_safety.sexual",
    },
    // Whom a text is about is no finding.
    ignore: [
      ...["male", "female", "homosexual_gay_or_lesbian", "christian", "jewish", "muslim", "black", "white"],
      "psychiatric_or_mental_illness",
    ],
    activation: "sigmoid",
  },
  {
    name: "toxicity-classifier",
    title: "Toxicity classifiers with two labels",
    models: ["s-nlp/roberta_toxicity_classifier", "martin-ha/toxic-comment-model"],
    source: `${hub}s-nlp/roberta_toxicity_classifier`,
    licence: asItsCardSays,
    standing: "files_fit",
    shapes: classifierShapes,
    labels: { toxic: "toxicity.offensive" },
    ignore: ["neutral", "non-toxic"],
  },
  {
    name: "roberta-hate-speech",
    title: "Hate speech classifier of dynamically made examples",
    models: ["facebook/roberta-hate-speech-dynabench-r4-target"],
    source: `${hub}facebook/roberta-hate-speech-dynabench-r4-target`,
    licence: asItsCardSays,
    standing: "files_fit",
    shapes: classifierShapes,
    labels: { hate: "toxicity.hate" },
    ignore: ["nothate"],
  },
  {
    name: "granite-guardian-hap",
    title: "Granite Guardian HAP: hate, abuse, profanity",
    models: ["ibm-granite/granite-guardian-hap-38m", "ibm-granite/granite-guardian-hap-125m"],
    source: `${hub}ibm-granite/granite-guardian-hap-38m`,
    licence: "Apache-2.0",
    standing: "files_fit",
    shapes: classifierShapes,
    labels: { LABEL_1: "toxicity.offensive" },
    ignore: ["LABEL_0"],
  },
  {
    name: "text-moderation",
    title: "Hazard classifier with the categories of moderation",
    models: ["KoalaAI/Text-Moderation"],
    source: `${hub}KoalaAI/Text-Moderation`,
    licence: asItsCardSays,
    standing: "files_fit",
    shapes: classifierShapes,
    labels: {
      S: "content_safety.sexual",
      S3: "content_safety.sexual.minors",
      H: "content_safety.hate",
      H2: "content_safety.hate.threatening",
      V: "content_safety.violence",
      V2: "content_safety.violence.graphic",
      HR: "content_safety.harassment",
      SH: "content_safety.self_harm",
    },
    ignore: ["OK"],
  },
  {
    name: "openai-moderation",
    title: "Moderation in OpenAI's form",
    models: ["omni-moderation-latest", "text-moderation-latest"],
    source: "https://platform.openai.com/docs/api-reference/moderations",
    licence: "the terms of the service",
    standing: "files_fit",
    shapes: ["openai-moderation"],
    labels: {
      harassment: "content_safety.harassment",
      "harassment/threatening": "content_safety.harassment.threatening",
      hate: "content_safety.hate",
      "hate/threatening": "content_safety.hate.threatening",
      illicit: "content_safety.illicit",
      "illicit/violent": "content_safety.illicit.violent",
      "self-harm": "content_safety.self_harm",
      "self-harm/instructions": "content_safety.self_harm.instructions",
      "self-harm/intent": "content_safety.self_harm.intent",
      sexual: "content_safety.sexual",
      "sexual/minors": "content_safety.sexual.minors",
      violence: "content_safety.violence",
      "violence/graphic": "content_safety.violence.graphic",
    },
    ignore: [],
  },
  {
    name: "llama-guard-3",
    title: "Llama Guard 3 and 4",
    models: ["meta-llama/Llama-Guard-3-8B", "meta-llama/Llama-Guard-3-1B", "meta-llama/Llama-Guard-4-12B"],
    source: `${hub}meta-llama/Llama-Guard-3-8B`,
    licence: "Llama 3.1, 3.2 and 4 Community Licenses",
    standing: "files_fit",
    shapes: ["llama-guard"],
    labels: {
      S1: "content_safety.violent_crime",
      S2: "content_safety.illicit",
      S3: "content_safety.sex_crime",
      S4: "content_safety.sexual.minors",
      S5: "content_safety.defamation",
      S6: "content_safety.specialized_advice",
      S7: "content_safety.privacy",
      S8: "content_safety.intellectual_property",
      S9: "content_safety.weapons",
      S10: "content_safety.hate",
      S11: "content_safety.self_harm",
      S12: "content_safety.sexual",
      S13: "content_safety.elections",
      S14: "content_safety.code_abuse",
    },
    ignore: [],
  },
  {
    name: "granite-guardian",
    title: "Granite Guardian 3.0 to 3.2",
    models: [
      ...["ibm-granite/granite-guardian-3.0-2b", "ibm-granite/granite-guardian-3.0-8b"],
      ...["ibm-granite/granite-guardian-3.1-2b", "ibm-granite/granite-guardian-3.1-8b"],
      "ibm-granite/granite-guardian-3.2-5b",
    ],
    source: `${hub}ibm-granite/granite-guardian-3.1-8b`,
    licence: "Apache-2.0",
    standing: "files_fit",
    shapes: ["yes-no-guard"],
    labels: graniteRisks,
    ignore: [],
    questions: {
      answers: { yes: "Yes", no: "No" },
      templates: mapped(graniteRisks, (risk) => ({ guardian_config: { risk_name: risk } })),
    },
  },
  {
    name: "granite-guardian-3.3",
    title: "Granite Guardian 3.3, without thinking",
    models: ["ibm-granite/granite-guardian-3.3-8b"],
    source: `${hub}ibm-granite/granite-guardian-3.3-8b`,
    licence: "Apache-2.0",
    standing: "files_fit",
    shapes: ["yes-no-guard"],
    labels: graniteRisks,
    ignore: [],
    questions: {
      answers: { yes: "<score> yes </score>", no: "<score> no </score>" },
      templates: mapped(graniteRisks, (risk) => ({ guardian_config: { criteria_id: risk }, think: false })),
    },
  },
  {
    name: "shieldgemma",
    title: "ShieldGemma",
    models: ["google/shieldgemma-2b", "google/shieldgemma-9b", "google/shieldgemma-27b"],
    source: `${hub}google/shieldgemma-9b`,
    licence: "Gemma Terms of Use",
    standing: "files_fit",
    shapes: ["yes-no-guard"],
    labels: {
      dangerous_content: "content_safety.dangerous",
      harassment: "content_safety.harassment",
      hate_speech: "content_safety.hate",
      sexually_explicit: "content_safety.sexual",
    },
    ignore: [],
    questions: {
      answers: { yes: "Yes", no: "No" },
      templates: mapped(shieldGemmaGuidelines, (_, guideline) => ({ guideline })),
    },
  },
  {
    name: "qwen3guard",
    title: "Qwen3Guard-Gen",
    models: ["Qwen/Qwen3Guard-Gen-0.6B", "Qwen/Qwen3Guard-Gen-4B", "Qwen/Qwen3Guard-Gen-8B"],
    source: `${hub}Qwen/Qwen3Guard-Gen-8B`,
    licence: "Apache-2.0",
    standing: "files_fit",
    shapes: ["qwen3-guard"],
    labels: {
      Violent: "content_safety.violence",
      "Non-violent Illegal Acts": "content_safety.illicit",
      "Sexual Content or Sexual Acts": "content_safety.sexual",
      // Its card calls this category by both names.
      PII: "content_safety.privacy",
      "Personally Identifiable Information": "content_safety.privacy",
      "Suicide & Self-Harm": "content_safety.self_harm",
      "Unethical Acts": "content_safety.unethical",
      "Politically Sensitive Topics": "content_safety.politics",
      "Copyright Violation": "content_safety.intellectual_property",
      Jailbreak: "injection.jailbreak",
    },
    ignore: [],
  },
];

/** The preset of a name; undefined when there is none. */
export function presetOf(name: string): Preset | undefined {
  return presets.find((preset) => preset.name === name);
}

/** The names of all presets, for messages. */
export function presetNames(): string {
  return presets.map(({ name }) => name).join(", ");
}

/** The object with other values, each made of a key and its value. */
function mapped(
  object: Readonly<Record<string, string>>,
  made: (key: string, value: string) => JsonObject,
): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, made(key, value)]));
}
