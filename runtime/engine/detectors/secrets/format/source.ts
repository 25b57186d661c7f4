// Token formats of source hosting and packages. Formats are facts that the providers publish.

import type { TokenFormat, TokenVerdict } from "../token.ts";
import { checksumAfter, mixed } from "./judge.ts";

const github = "https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/";
const gitlab = "https://docs.gitlab.com/security/tokens/";
const jfrog = "https://jfrog.com/help/";

/** Prefixes of GitLab's tokens with the number of characters that follow. */
const gitlabPrefixes: readonly (readonly [string, string])[] = [
  ["gldt-", "[0-9a-zA-Z_-]{20}"],
  ["glffct-", "[0-9a-zA-Z_-]{20}"],
  ["glft-", "[0-9a-zA-Z_-]{20}"],
  ["glsoat-", "[0-9a-zA-Z_-]{20}"],
  ["glimt-", "[0-9a-zA-Z_-]{25}"],
  ["glcbt-", "[0-9a-zA-Z]{1,5}_[0-9a-zA-Z_-]{20}"],
  ["glagent-", "[0-9a-zA-Z_-]{50}"],
  ["gloas-", "[0-9a-zA-Z_-]{64}"],
  ["glptt-", "[0-9a-f]{40}"],
  ["glrt-", "(?:t[0-9]_[0-9a-zA-Z_-]{27,300}\\.[0-9a-z]{9}|[0-9a-zA-Z_-]{20}(?![0-9a-zA-Z_-]))"],
  ["glpat-", "(?:[0-9a-zA-Z_-]{27,300}\\.[0-9a-z]{9}|[0-9a-zA-Z_-]{20}(?![0-9a-zA-Z_-]))"],
  ["GR1348941", "[0-9a-zA-Z_-]{20}"],
];

/** The formats. */
export const sourceTokens: readonly TokenFormat[] = [
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((literal) => ({
    ...{ name: "github", literal, after: "[A-Za-z0-9]{36}", score: 0.9, judge: checksumAfter(4), reference: github },
  })),
  {
    name: "github",
    literal: "github_pat_",
    after: "[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    score: 0.95,
    reference: github,
  },
  ...gitlabPrefixes.map(([literal, after]) => ({ name: "gitlab", literal, after, score: 0.95, reference: gitlab })),
  {
    name: "gitlab",
    literal: "_gitlab_session=",
    after: "[0-9a-z]{32}",
    score: 0.9,
    reference: gitlab,
  },
  {
    name: "bitbucket",
    literal: "ATBB",
    after: "[A-Za-z0-9]{32}",
    score: 0.9,
    reference: "https://support.atlassian.com/bitbucket-cloud/docs/app-passwords/",
  },
  {
    name: "atlassian",
    literal: "ATATT3",
    after: "[A-Za-z0-9_=-]{60,300}",
    score: 0.97,
    reference: "https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/",
  },
  {
    name: "atlassian",
    literal: "ATCTT3",
    after: "[A-Za-z0-9_=-]{60,300}",
    score: 0.97,
    reference: "https://support.atlassian.com/bitbucket-cloud/docs/access-tokens/",
  },
  {
    name: "npm",
    literal: "npm_",
    after: "[A-Za-z0-9]{36}",
    score: 0.9,
    judge: checksumAfter(4),
    reference: "https://docs.npmjs.com/about-access-tokens",
  },
  {
    name: "npm",
    literal: "_authToken=",
    after: "[\"']?(?:npm_[A-Za-z0-9]{36}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z0-9+/]{40,200}={0,2})",
    score: 0.95,
    reference: "https://docs.npmjs.com/cli/configuring-npm/npmrc",
  },
  {
    name: "pypi",
    literal: "pypi-AgEIcHlwaS5vcmc",
    after: "[A-Za-z0-9_-]{50,1000}",
    score: 0.99,
    reference: "https://pypi.org/help/#apitoken",
  },
  {
    name: "pypi",
    literal: "pypi-AgENdGVzdC5weXBpLm9yZw",
    after: "[A-Za-z0-9_-]{50,1000}",
    score: 0.97,
    reference: "https://pypi.org/help/#apitoken",
  },
  {
    name: "rubygems",
    literal: "rubygems_",
    after: "[a-f0-9]{48}",
    score: 0.97,
    reference: "https://guides.rubygems.org/api-key-scopes/",
  },
  {
    name: "clojars",
    literal: "CLOJARS_",
    after: "[a-z0-9]{60}",
    score: 0.97,
    reference: "https://github.com/clojars/clojars-web/wiki/Deploy-Tokens",
  },
  {
    name: "crates_io",
    literal: "cio",
    after: "[A-Za-z0-9]{32}",
    score: 0.8,
    judge: mixed(0.8),
    reference: "https://crates.io/docs/api-tokens",
  },
  {
    name: "nuget",
    literal: "oy2",
    after: "[a-z0-9]{43}",
    score: 0.85,
    entropy: 3.5,
    judge: (token) => ({ score: /\d/.test(token) ? 0.85 : 0, basis: "published form" }),
    reference: "https://learn.microsoft.com/en-us/nuget/nuget-org/publish-a-package",
  },
  ...["dckr_pat_", "dckr_oat_"].map((literal) => ({
    ...{ name: "docker", literal, after: "[A-Za-z0-9_-]{27,32}", score: 0.97 },
    reference: "https://docs.docker.com/security/access-tokens/",
  })),
  { name: "jfrog", literal: "AKCp", after: "[A-Za-z0-9]{69}", score: 0.95, entropy: 4, reference: jfrog },
  { name: "jfrog", literal: "AKC", after: "[A-Za-z0-9]{10,68}", score: 0.6, judge: mixed(0.6), reference: jfrog },
  {
    name: "jfrog",
    literal: "AP",
    after: "[0-9A-F][A-Za-z0-9]{8,60}",
    score: 0,
    judge: artifactoryPassword,
    reference: jfrog,
  },
  { name: "jfrog", literal: "cmVmd", after: "[A-Za-z0-9]{59}", score: 0.95, entropy: 4, reference: jfrog },
];

// Encrypted passwords of Artifactory are short, so they need all kinds of characters.
function artifactoryPassword(token: string): TokenVerdict {
  const kinds = [/[a-z]/, /[A-Z]/, /\d.*\d/].filter((kind) => kind.test(token)).length;
  return { score: kinds === 3 && token.length >= 14 ? 0.55 : 0, basis: "published form" };
}
