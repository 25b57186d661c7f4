// Token formats of providers. Formats are facts that the providers publish; what they give as examples is never a finding.

import { hasChecksum } from "./checksum.ts";

/** One format. The first group of the pattern, if it has one, is the secret. */
export interface TokenFormat {
  /** Last part of the category. */
  readonly name: string;
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  readonly score: number;
  /** The score of one token when its inside tells more; 0 refuses it. */
  readonly judge?: (token: string) => number;
}

/** A token whose last six characters should be a check sum: without it, it has the form but was hardly issued. */
function checksummed(token: string, bodyFrom: number): number {
  return hasChecksum(token.slice(bodyFrom)) ? 0.99 : 0.7;
}

/** The formats, by provider. */
export const tokenFormats: readonly TokenFormat[] = [
  { name: "aws_access_key_id", pattern: "\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\\b", score: 0.95 },
  {
    name: "aws_secret_access_key",
    pattern:
      "(?:secret_?access_?key|aws_?secret(?:_?key)?)[\"']?\\s{0,3}(?:=>|:=|[:=])\\s{0,3}[\"']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
    ignoreCase: true,
    score: 0.95,
  },
  { name: "github", pattern: "\\bgh[pousr]_[A-Za-z0-9]{36}\\b", score: 0.9, judge: (token) => checksummed(token, 4) },
  { name: "github", pattern: "\\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\\b", score: 0.95 },
  { name: "gitlab", pattern: "\\b(glpat-[A-Za-z0-9_-]{20})(?:[^A-Za-z0-9_-]|$)", score: 0.95 },
  { name: "gitlab", pattern: "\\bglpat-[A-Za-z0-9_-]{27,300}\\.[0-9a-z]{9}\\b", score: 0.95 },
  { name: "slack", pattern: "\\bxoxb-[0-9]{10,13}-[0-9]{10,13}(?:-[A-Za-z0-9-]{0,60})?\\b", score: 0.95 },
  { name: "slack", pattern: "\\bxox[pe](?:-[0-9]{10,13}){3}-[A-Za-z0-9-]{28,34}\\b", score: 0.95 },
  { name: "slack", pattern: "\\bxox[os]-[0-9]{1,13}-[0-9]{1,13}-[0-9]{1,13}-[a-fA-F0-9]{10,64}\\b", score: 0.95 },
  { name: "slack", pattern: "\\bxoxb-[0-9]{8,14}-[A-Za-z0-9]{18,26}\\b", score: 0.9 },
  { name: "slack", pattern: "\\bxoxe(?:\\.xox[bp])?-[0-9]-[A-Za-z0-9]{140,170}\\b", score: 0.95 },
  { name: "slack", pattern: "\\bxox[ar]-(?:[0-9]-)?[0-9A-Za-z]{8,48}\\b", score: 0.9 },
  { name: "slack", pattern: "\\bxapp-[0-9]-[A-Z0-9]{5,15}-[0-9]{5,15}-[a-z0-9]{32,80}\\b", score: 0.95 },
  {
    name: "slack_webhook",
    pattern: "hooks\\.slack\\.com/(?:services|workflows)/T[A-Za-z0-9_]{5,15}/[A-Za-z0-9_]{5,15}/[A-Za-z0-9_]{20,30}\\b",
    score: 0.95,
  },
  { name: "stripe", pattern: "\\b[sr]k_(?:live|prod)_[A-Za-z0-9]{10,99}\\b", score: 0.97 },
  { name: "stripe", pattern: "\\b[sr]k_test_[A-Za-z0-9]{10,99}\\b", score: 0.6 },
  { name: "google_api_key", pattern: "\\b(AIza[0-9A-Za-z_-]{35})(?:[^0-9A-Za-z_-]|$)", score: 0.95 },
  { name: "openai", pattern: "\\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}\\b", score: 0.99 },
  {
    name: "openai",
    pattern: "\\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,100}T3BlbkFJ[A-Za-z0-9_-]{20,100}",
    score: 0.99,
  },
  {
    name: "anthropic",
    pattern: "\\b(sk-ant-(?:api|admin)[0-9]{2}-[A-Za-z0-9_-]{93}AA)(?:[^A-Za-z0-9_-]|$)",
    score: 0.99,
  },
  { name: "anthropic", pattern: "\\bsk-ant-(?:oat|ort)[0-9]{2}-[A-Za-z0-9_-]{80,120}", score: 0.95 },
  { name: "npm", pattern: "\\bnpm_[A-Za-z0-9]{36}\\b", score: 0.9, judge: (token) => checksummed(token, 4) },
  {
    name: "policy_guard",
    pattern: "\\bgr_(?:rt|ci|adm|scim|ses)_[0-9A-Za-z]{39}\\b",
    score: 0.99,
    judge: (token) => (hasChecksum(token) ? 0.99 : 0),
  },
];
