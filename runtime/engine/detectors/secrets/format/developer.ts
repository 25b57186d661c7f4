// Token formats of tools for developers: source hosting, packages, builds, monitoring. Formats are facts that the providers publish.

import type { TokenFormat } from "../token.ts";
import { checksumAfter, checksumOfAll, mixed } from "./judge.ts";

const github = "https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/";
const gitlab = "https://docs.gitlab.com/security/tokens/";
const grafana = "https://grafana.com/docs/grafana/latest/administration/service-accounts/";
const jfrog = "https://jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens";
const sentry = "https://docs.sentry.io/account/auth-tokens/";
const newRelic = "https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/";

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
export const developerTokens: readonly TokenFormat[] = [
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
  { name: "grafana", literal: "glc_", after: "[A-Za-z0-9+/]{32,400}={0,3}", score: 0.95, reference: grafana },
  { name: "grafana", literal: "glsa_", after: "[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", score: 0.97, reference: grafana },
  { name: "grafana", literal: "eyJrIjoi", after: "[A-Za-z0-9]{60,400}={0,3}", score: 0.9, reference: grafana },
  { name: "sentry", literal: "sntryu_", after: "[a-f0-9]{64}", score: 0.97, reference: sentry },
  {
    name: "sentry",
    literal: "sntrys_eyJpYXQiO",
    after: "[A-Za-z0-9+/=]{20,420}_[A-Za-z0-9+/]{43}",
    score: 0.97,
    reference: sentry,
  },
  ...[
    ["NRAK-", "[A-Za-z0-9]{27}"],
    ["NRII-", "[A-Za-z0-9-]{32}"],
    ["NRJS-", "[a-f0-9]{19}"],
    ["NRRA-", "[a-f0-9]{42}"],
    ["NRIQ-", "[A-Za-z0-9_-]{32}"],
  ].map(([literal = "", after = ""]) => ({ name: "new_relic", literal, after, score: 0.95, reference: newRelic })),
  {
    name: "dynatrace",
    literal: "dt0c01.",
    after: "[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}",
    score: 0.97,
    reference:
      "https://docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients/access-tokens",
  },
  {
    name: "dynatrace",
    literal: "dt0s",
    after: "[0-9]{2}\\.[A-Z0-9]{8,24}\\.[A-Z0-9]{64}",
    score: 0.97,
    reference:
      "https://docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients/oauth-clients",
  },
  {
    name: "sonar",
    literal: "sq",
    after: "[uap]_[a-f0-9]{40}",
    score: 0.95,
    reference: "https://docs.sonarsource.com/sonarqube-server/latest/user-guide/managing-tokens/",
  },
  {
    name: "sourcegraph",
    literal: "sgp_",
    after: "(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}",
    score: 0.95,
    reference: "https://sourcegraph.com/docs/cli/how-tos/creating_an_access_token",
  },
  {
    name: "postman",
    literal: "PMAK-",
    after: "[a-fA-F0-9]{24}-[a-fA-F0-9]{34}",
    score: 0.97,
    reference: "https://learning.postman.com/docs/developer/postman-api/authentication/",
  },
  {
    name: "harness",
    literal: "at.",
    before: "\\b[ps]",
    after: "[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}",
    score: 0.95,
    reference: "https://developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys/",
  },
  {
    name: "octopus_deploy",
    literal: "API-",
    after: "[A-Z0-9]{26}",
    score: 0.85,
    entropy: 3.2,
    judge: (token) => ({ score: /\d.*\d/.test(token) ? 0.85 : 0, basis: "published form" }),
    reference: "https://octopus.com/docs/octopus-rest-api/how-to-create-an-api-key",
  },
  {
    name: "prefect",
    literal: "pnu_",
    after: "[A-Za-z0-9]{36}",
    score: 0.95,
    reference: "https://docs.prefect.io/v3/how-to-guides/cloud/manage-users/api-keys",
  },
  {
    name: "doppler",
    literal: "dp.",
    after: "(?:pt|st|sa|ct|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}",
    score: 0.97,
    reference: "https://docs.doppler.com/reference/auth-token-formats",
  },
  {
    name: "infracost",
    literal: "ico-",
    after: "[A-Za-z0-9]{32}(?!\\.)",
    score: 0.9,
    reference: "https://www.infracost.io/docs/",
  },
  {
    name: "readme",
    literal: "rdme_",
    after: "[a-z0-9]{70}",
    score: 0.97,
    reference: "https://docs.readme.com/main/reference/intro/authentication",
  },
  {
    name: "launchdarkly",
    literal: "api-",
    after: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    score: 0.85,
    reference: "https://launchdarkly.com/docs/home/account/api",
  },
  {
    name: "launchdarkly",
    literal: "sdk-",
    after: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    score: 0.85,
    reference: "https://launchdarkly.com/docs/home/account/api",
  },
  {
    name: "buildkite",
    literal: "bkua_",
    after: "[a-f0-9]{40}",
    score: 0.97,
    reference: "https://buildkite.com/docs/apis/managing-api-tokens",
  },
  {
    name: "circleci",
    literal: "CCIPAT_",
    after: "[A-Za-z0-9]{22}_[a-f0-9]{40}",
    score: 0.97,
    reference: "https://circleci.com/docs/managing-api-tokens/",
  },
  {
    name: "onepassword",
    literal: "ops_eyJ",
    after: "[A-Za-z0-9+/_-]{200,1000}={0,3}",
    score: 0.99,
    entropy: 4,
    reference: "https://developer.1password.com/docs/service-accounts/",
  },
  {
    name: "onepassword",
    literal: "A3-",
    after: "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    score: 0.95,
    reference: "https://support.1password.com/secret-key/",
  },
  {
    name: "age",
    literal: "AGE-SECRET-KEY-1",
    after: "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    score: 0.99,
    reference: "https://github.com/C2SP/C2SP/blob/main/age.md",
  },
  {
    name: "authress",
    literal: ".acc",
    before: "(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}",
    after: "[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
    score: 0.95,
    reference: "https://authress.io/knowledge-base/docs/authorization/service-clients",
  },
  {
    name: "defined_networking",
    literal: "dnkey-",
    after: "[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}",
    score: 0.95,
    reference: "https://docs.defined.net/guides/automating-host-creation/",
  },
  {
    name: "intra42",
    literal: "s-s4t2",
    after: "(?:ud|af)-[abcdef0123456789]{64}",
    score: 0.97,
    reference: "https://api.intra.42.fr/apidoc",
  },
  {
    name: "maxmind",
    literal: "_mmk",
    before: "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}",
    after: "",
    score: 0.95,
    reference: "https://dev.maxmind.com/license-key/",
  },
  ...["sm_aat_", "sm_pat_", "sm_sat_"].map((literal) => ({
    ...{ name: "settlemint", literal, after: "[A-Za-z0-9]{16}", score: 0.95 },
    reference: "https://console.settlemint.com/documentation/",
  })),
  {
    name: "netlify",
    literal: "nfp_",
    after: "[A-Za-z0-9]{36}",
    score: 0.95,
    reference: "https://docs.netlify.com/api/get-started/",
  },
  {
    name: "figma",
    literal: "figd_",
    after: "[A-Za-z0-9_-]{38,44}",
    score: 0.95,
    reference: "https://www.figma.com/developers/api#access-tokens",
  },
  {
    name: "policy_guard",
    literal: "gr_",
    after: "(?:rt|ci|adm|scim|ses)_[0-9A-Za-z]{39}",
    score: 0.99,
    judge: checksumOfAll,
    reference: "docs/concepts.md",
  },
];

// The encrypted passwords of Artifactory: short, so they need all kinds of characters.
function artifactoryPassword(token: string) {
  const kinds = [/[a-z]/, /[A-Z]/, /\d.*\d/].filter((kind) => kind.test(token)).length;
  return { score: kinds === 3 && token.length >= 14 ? 0.55 : 0, basis: "published form" };
}
