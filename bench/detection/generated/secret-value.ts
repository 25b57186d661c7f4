// Credentials in the forms that their providers document, made up; the forms are written for this bench and not shared
// with the detector. No literal here is a credential: each is put together from a public prefix and random characters.

import { tokenChecksum } from "../../../runtime/engine/detectors/secrets/checksum.ts";
import { base32, base62, base64, digits, hex, lower, upper, urlSafe } from "./alphabet.ts";
import type { Draw } from "./draw.ts";

/** Prefix, alphabet, length of what follows. */
const plain: Readonly<Record<string, readonly [string, string, number]>> = {
  AWS_ACCESS_KEY_ID: ["AKIA", base32, 16],
  AWS_SESSION_KEY_ID: ["ASIA", base32, 16],
  GITLAB_TOKEN: ["glpat-", urlSafe, 20],
  STRIPE_SECRET: ["sk_live_", base62, 24],
  STRIPE_RESTRICTED: ["rk_live_", base62, 24],
  STRIPE_WEBHOOK: ["whsec_", base62, 32],
  GOOGLE_API_KEY: ["AIza", urlSafe, 35],
  GOOGLE_CLIENT_SECRET: ["GOCSPX-", urlSafe, 28],
  ANTHROPIC_API_KEY: ["sk-ant-api03-", urlSafe, 93],
  HF_TOKEN: ["hf_", lower + upper, 34],
  NPM_TOKEN: ["npm_", base62, 36],
  DO_TOKEN: ["dop_v1_", hex, 64],
  SHOPIFY_TOKEN: ["shpat_", hex, 32],
  SQUARE_TOKEN: ["sq0atp-", urlSafe, 22],
  NEW_RELIC_KEY: ["NRAK-", upper + digits, 27],
  LINEAR_KEY: ["lin_api_", base62, 40],
  FIGMA_TOKEN: ["figd_", urlSafe, 40],
  DATABRICKS_TOKEN: ["dapi", hex, 32],
  DOPPLER_TOKEN: ["dp.pt.", base62, 43],
  VAULT_TOKEN: ["hvs.", urlSafe, 95],
  PLANETSCALE_TOKEN: ["pscale_tkn_", urlSafe, 43],
  PULUMI_TOKEN: ["pul-", hex, 40],
  RUBYGEMS_KEY: ["rubygems_", hex, 48],
  SUPABASE_TOKEN: ["sbp_", hex, 40],
  GROQ_API_KEY: ["gsk_", base62, 52],
  REPLICATE_TOKEN: ["r8_", base62, 37],
  PERPLEXITY_KEY: ["pplx-", base62, 48],
  DOCKER_PAT: ["dckr_pat_", urlSafe, 27],
  NETLIFY_TOKEN: ["nfp_", base62, 36],
  EASYPOST_KEY: ["EZAK", base62, 54],
  PREFECT_KEY: ["pnu_", lower + digits, 36],
  README_KEY: ["rdme_", lower + digits, 70],
  SHIPPO_TOKEN: ["shippo_live_", hex, 40],
  CONTENTFUL_TOKEN: ["CFPAT-", urlSafe, 43],
  CLOJARS_TOKEN: ["CLOJARS_", lower + digits, 60],
  AIO_KEY: ["aio_", base62, 28],
  SENTRY_USER_TOKEN: ["sntryu_", hex, 64],
  GRAFANA_CLOUD_TOKEN: ["glc_", base64, 60],
  DUFFEL_TOKEN: ["duffel_live_", urlSafe, 43],
  ATLASSIAN_TOKEN: ["ATATT3xFfGF0", urlSafe, 180],
  TYPEFORM_TOKEN: ["tfp_", urlSafe, 59],
};

const joined: Readonly<Record<string, (draw: Draw) => string>> = {
  GITHUB_TOKEN: (draw) => {
    const body = draw.text(base62, 30);
    return `ghp_${body}${tokenChecksum(body)}`;
  },
  GITHUB_FINE_TOKEN: (draw) => `github_pat_${draw.text(base62, 22)}_${draw.text(base62, 59)}`,
  SLACK_BOT_TOKEN: (draw) => `xoxb-${draw.digits(12)}-${draw.digits(13)}-${draw.text(base62, 24)}`,
  SLACK_HOOK: (draw) =>
    `https://hooks.slack.com/services/T${draw.text(upper + digits, 8)}/B${draw.text(upper + digits, 10)}/${draw.text(base62, 24)}`,
  OPENAI_API_KEY: (draw) => `sk-${draw.text(base62, 20)}T3BlbkFJ${draw.text(base62, 20)}`,
  OPENAI_PROJECT_KEY: (draw) => `sk-proj-${draw.text(urlSafe, 74)}T3BlbkFJ${draw.text(urlSafe, 74)}`,
  SENDGRID_API_KEY: (draw) => `SG.${draw.text(urlSafe, 22)}.${draw.text(urlSafe, 43)}`,
  MAILCHIMP_KEY: (draw) => `${draw.text(hex, 32)}-us${1 + draw.below(20)}`,
  PYPI_TOKEN: (draw) => `pypi-AgEIcHlwaS5vcmc${draw.text(urlSafe, 120)}`,
  DISCORD_TOKEN: (draw) => `M${draw.text(base62, 23)}.${draw.text(urlSafe, 6)}.${draw.text(urlSafe, 27)}`,
  TELEGRAM_TOKEN: (draw) => `${1 + draw.below(9)}${draw.digits(9)}:AA${draw.text(urlSafe, 33)}`,
  AIRTABLE_TOKEN: (draw) => `pat${draw.text(base62, 14)}.${draw.text(hex, 64)}`,
  TERRAFORM_TOKEN: (draw) => `${draw.text(base62, 14)}.atlasv1.${draw.text(urlSafe, 67)}`,
  GRAFANA_TOKEN: (draw) => `glsa_${draw.text(base62, 32)}_${draw.text(hex, 8)}`,
  POSTMAN_KEY: (draw) => `PMAK-${draw.text(hex, 24)}-${draw.text(hex, 34)}`,
  BREVO_KEY: (draw) => `xkeysib-${draw.text(hex, 64)}-${draw.text(base62, 16)}`,
  FLUTTERWAVE_KEY: (draw) => `FLWSECK-${draw.text(hex, 32)}-X`,
  DYNATRACE_TOKEN: (draw) => `dt0c01.${draw.text(base32, 24)}.${draw.text(base32, 64)}`,
  PLAID_TOKEN: (draw) => `access-production-${uuid(draw)}`,
  TAILSCALE_KEY: (draw) => `tskey-auth-${draw.text(base62, 16)}-${draw.text(base62, 32)}`,
  AZURE_STORAGE: (draw) =>
    `DefaultEndpointsProtocol=https;AccountName=logs${draw.digits(3)};AccountKey=${draw.text(base64, 86)}==;EndpointSuffix=core.windows.net`,
  DATABASE_URL: (draw) => `postgres://app:${draw.text(base62, 18)}@db.internal:5432/orders`,
  MONGO_URL: (draw) => `mongodb+srv://svc:${draw.text(base62, 20)}@cluster0.abcde.mongodb.net/app`,
  PROXY_URL: (draw) => `https://deploy:${draw.text(base62, 16)}@registry.firma.example/v2/`,
};

/** Values that only the name beside them makes a credential. */
const named: Readonly<Record<string, (draw: Draw) => string>> = {
  AWS_SECRET_ACCESS_KEY: (draw) => draw.text(base64, 40),
  HEROKU_API_KEY: uuid,
  CLOUDFLARE_API_TOKEN: (draw) => draw.text(urlSafe, 40),
  DATADOG_API_KEY: (draw) => draw.text(hex, 32),
  DB_PASSWORD: (draw) => `${draw.text(base62, 7)}!${draw.text(base62, 8)}#`,
  SMTP_PASSWORD: (draw) => draw.text(base62, 16),
  CLIENT_SECRET: (draw) => draw.text(urlSafe, 40),
  JWT_SIGNING_KEY: (draw) => draw.text(base64, 44),
};

/** The kinds of credentials. */
export const secretKinds: readonly string[] = [
  ...Object.keys(plain),
  ...Object.keys(joined),
  ...Object.keys(named),
  "JWT",
  "PRIVATE_KEY",
];

/** Whether a credential of a kind stands only beside its name. */
export function needsName(kind: string): boolean {
  return kind in named;
}

/** A credential of a kind. */
export function secret(kind: string, draw: Draw): string {
  const form = plain[kind];
  if (form !== undefined) return form[0] + draw.text(form[1], form[2]);
  if (kind === "JWT") return jwt(draw);
  if (kind === "PRIVATE_KEY") return privateKey(draw);
  const make = joined[kind] ?? named[kind];
  if (make === undefined) throw new Error(`no credential ${kind}`);
  return make(draw);
}

function jwt(draw: Draw): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { sub: draw.digits(8), iss: "https://id.firma.example", exp: 1_900_000_000 + draw.below(9_999) };
  return `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}.${draw.text(urlSafe, 43)}`;
}

function privateKey(draw: Draw): string {
  const mark = (word: string): string => `-----${word} ${draw.of(["RSA ", "EC ", "", "OPENSSH "])}PRIVATE KEY-----`;
  const end = mark("END");
  const begin = end.replace("END", "BEGIN");
  return [begin, ...Array.from({ length: 12 }, () => draw.text(base64, 64)), `${draw.text(base64, 42)}==`, end].join(
    "\n",
  );
}

function uuid(draw: Draw): string {
  const part = (count: number): string => draw.text(hex, count);
  return `${part(8)}-${part(4)}-4${part(3)}-a${part(3)}-${part(12)}`;
}

/** Strings that look like credentials and are none. */
export const lookalikes: Readonly<Record<string, (draw: Draw) => string>> = {
  md5: (draw) => draw.text(hex, 32),
  sha1: (draw) => draw.text(hex, 40),
  sha256: (draw) => draw.text(hex, 64),
  sha512_integrity: (draw) => `sha512-${draw.text(base64, 86)}==`,
  uuid,
  image: (draw) => `data:image/png;base64,iVBORw0KGgo${draw.text(base64, 120)}=`,
  digest: (draw) => `registry.example/app@sha256:${draw.text(hex, 64)}`,
  ssh_public: (draw) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${draw.text(base64, 43)} ann@laptop`,
  fingerprint: (draw) => `SHA256:${draw.text(base64, 43)}`,
  publishable: (draw) => `pk_live_${draw.text(base62, 24)}`,
  stripe_object: (draw) => `cus_${draw.text(base62, 14)} pi_${draw.text(base62, 24)}`,
  arn: (draw) => `arn:aws:iam::${draw.digits(12)}:role/deploy`,
  request_id: (draw) => `req_${draw.text(base62, 24)}`,
  ulid: (draw) => `01${draw.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)}`,
  etag: (draw) => `W/"${draw.text(hex, 32)}"`,
  identifier: (draw) =>
    `get${draw.of(["Customer", "Invoice"])}AddressValidationResultFactoryBeanBuilderImpl${draw.digits(2)}`,
  path: (draw) => `/var/lib/app/releases/${draw.digits(14)}/node_modules/.cache/${draw.text(hex, 20)}/index.js`,
  placeholder: (draw) =>
    draw.of([
      "YOUR_API_KEY_HERE",
      "<paste-your-token>",
      "xxxxxxxxxxxxxxxxxxxxxxxx",
      "changeme",
      "********",
      "REPLACE_ME_WITH_SECRET",
    ]),
  reference: (draw) =>
    draw.of([
      "process.env.API_TOKEN",
      "secrets.DEPLOY_TOKEN }}",
      "os.environ['DB_PASSWORD']",
      "vault kv get secret/app",
    ]),
  base64_text: (draw) =>
    Buffer.from(`The quick brown fox number ${draw.digits(5)} jumps over the lazy dog.`).toString("base64"),
};
