// Token formats of models of language and what surrounds them. Formats are facts that the providers publish.

import type { TokenFormat } from "../token.ts";

const openai = "https://platform.openai.com/docs/api-reference/authentication";
const anthropic = "https://docs.anthropic.com/en/api/overview";
const huggingFace = "https://huggingface.co/docs/hub/security-tokens";

/** The formats. */
export const modelTokens: readonly TokenFormat[] = [
  {
    name: "openai",
    literal: "T3BlbkFJ",
    before: "sk-[A-Za-z0-9]{20}",
    after: "[A-Za-z0-9]{20}",
    score: 0.99,
    reference: openai,
  },
  ...["sk-proj-", "sk-svcacct-", "sk-admin-"].map((literal) => ({
    ...{ name: "openai", literal, score: 0.99, reference: openai },
    after: "[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100}",
  })),
  {
    name: "anthropic",
    literal: "sk-ant-",
    after:
      "(?:(?:api|admin)[0-9]{2}-[A-Za-z0-9_-]{93}AA(?![A-Za-z0-9_-])|(?:oat|ort|sid)[0-9]{2}-[A-Za-z0-9_-]{80,120})",
    score: 0.99,
    reference: anthropic,
  },
  { name: "hugging_face", literal: "hf_", after: "[A-Za-z]{34}", score: 0.95, reference: huggingFace, entropy: 3.5 },
  {
    name: "hugging_face",
    literal: "api_org_",
    after: "[A-Za-z]{34}",
    score: 0.95,
    reference: huggingFace,
    entropy: 3.5,
  },
  {
    name: "groq",
    literal: "gsk_",
    after: "[A-Za-z0-9]{52}",
    score: 0.97,
    reference: "https://console.groq.com/docs/quickstart",
  },
  {
    name: "perplexity",
    literal: "pplx-",
    after: "[A-Za-z0-9]{48}",
    score: 0.97,
    reference: "https://docs.perplexity.ai/",
  },
  {
    name: "replicate",
    literal: "r8_",
    after: "[A-Za-z0-9]{37}",
    score: 0.95,
    reference: "https://replicate.com/docs",
  },
  {
    name: "xai",
    literal: "xai-",
    after: "[A-Za-z0-9]{70,90}",
    score: 0.97,
    reference: "https://docs.x.ai/docs/overview",
  },
  {
    name: "openrouter",
    literal: "sk-or-v1-",
    after: "[a-f0-9]{64}",
    score: 0.97,
    reference: "https://openrouter.ai/docs",
  },
  {
    name: "nvidia",
    literal: "nvapi-",
    after: "[A-Za-z0-9_-]{60,70}",
    score: 0.97,
    reference: "https://docs.nvidia.com/nim/",
  },
  {
    name: "langsmith",
    literal: "lsv2_",
    after: "(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
    score: 0.97,
    reference: "https://docs.smith.langchain.com/",
  },
  {
    name: "langfuse",
    literal: "sk-lf-",
    after: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    score: 0.97,
    reference: "https://langfuse.com/docs",
  },
  {
    name: "pinecone",
    literal: "pcsk_",
    after: "[A-Za-z0-9_]{60,75}",
    score: 0.97,
    reference: "https://docs.pinecone.io/guides/projects/manage-api-keys",
  },
  {
    name: "tavily",
    literal: "tvly-",
    after: "(?:dev-|prod-)?[A-Za-z0-9-]{32,50}",
    score: 0.9,
    reference: "https://docs.tavily.com/",
  },
  { name: "firecrawl", literal: "fc-", after: "[a-f0-9]{32}", score: 0.9, reference: "https://docs.firecrawl.dev/" },
];
