// The regular expressions of W: rules as secret scanners and PII scanners have them, written from the public formats of
// tokens and identifiers. Three kinds: a provider's name near an assigned value (the commonest rule of secret scanners,
// with the identifier before the name as part of the match), tokens with a prefix, and identifiers that are digits and
// separators only. The last kind has no literal that could gate it.

import { seededRandom } from "../../runtime/engine/authoring/seeded-random.ts";

const providers =
  "adafruit adobe airtable algolia alibaba amplitude artifactory asana atlassian authress beamer bitbucket bitly bittrex buildkite buttercms cargo cisco clearbit clojars cloudflare codecov cohere coinbase confluent contentful databricks datadog dialogflow digicert discord docker doppler droneci dropbox drupal dynatrace easypost elastic etsy eventbrite facebook fastly figma finicity finnhub firebase flickr flutterwave freshbooks freshdesk frontapp gocardless grafana gumroad harness hashicorp heroku hotjar hubspot huggingface infracost instagram intercom ionic jenkins jfrog jotform jumpcloud kraken kucoin lacework launchdarkly linear linkedin linode lob logentries looker mailchimp mailgun mailjet mapbox mattermost maxmind messagebird mixpanel mongodb netlify newrelic notion nytimes octopus okta onesignal openweather opsgenie optimizely pagerduty pendo pinecone plaid planetscale postman prefect pulumi pusher readme recaptcha redis rollbar rubygems salesforce scalingo sendbird sendgrid sendinblue sentry shippo shopify sidekiq snyk sonar sourcegraph spotify square squarespace statuspage stripe sumologic supabase tableau teams telegram terraform travisci trello trello_secret twilio twitch twitter typeform uploadcare vault vercel vimeo webflow wistia woocommerce workos yandex youtube zapier zendesk zoom".split(
    " ",
  );
const values = ["[a-z0-9]{32}", "[a-f0-9]{40}", "[a-z0-9_-]{24,64}", "[a-z0-9=_-]{43}", "[a-f0-9-]{36}"];

/** A provider's name within an identifier that something is assigned to. */
function assigned(provider: string, value: string): string {
  return `(?i)[\\w.-]{0,50}?(?:${provider})(?:[ \\t\\w.-]{0,20})["'\\s]{0,3}(?:=|>|:{1,3}=|\\|\\||:|=>|\\?=|,)["'\\s=]{0,5}(${value})(?:["'\\s;]|$)`;
}

const prefixes =
  "AKIA ASIA AIza ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- xoxb- xoxp- xoxe- xapp- sk_live_ sk_test_ rk_live_ pk_live_ whsec_ npm_ pypi- dop_v1_ doo_v1_ dapi EAAC ya29. SG. key- shpat_ shpca_ shpss_ sbp_ sntrys_ glsa_ hvs. hvb. pscale_tkn_ pscale_pw_ dp.pt. dp.st. tfp_ lin_api_ PMAK- rdme_ rubygems_ sq0atp- sq0csp- figd_ hf_ r8_ nvapi- ATATT3 pul- ops_ vc_".split(
    " ",
  );

function prefixed(prefix: string, index: number): string {
  const value = ["[0-9A-Za-z]{36}", "[A-Za-z0-9_-]{20,64}", "[a-z0-9]{40}", "[A-Z0-9]{16}"][index % 4];
  return `\\b(${prefix.replaceAll(".", "\\.")}${value})(?:["'\\s;,]|$)`;
}

/** National identifiers, telephone, card, account, plate and postal numbers: the shapes that many countries share. */
const digits = [
  "\\b\\d{3}-\\d{2}-\\d{4}\\b",
  "\\b(?:4\\d{3}|5[1-5]\\d{2}|6011)[ -]?\\d{4}[ -]?\\d{4}[ -]?\\d{4}\\b",
  "\\b3[47]\\d{2}[ -]?\\d{6}[ -]?\\d{5}\\b",
  "\\b\\d{2}\\.\\d{2}\\.\\d{2}-\\d{3}\\.\\d{2}\\b",
  "\\b\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}\\b",
  "\\b\\d{2}\\.\\d{3}\\.\\d{3}/\\d{4}-\\d{2}\\b",
  "\\b[A-Z]{5}\\d{4}[A-Z]\\b",
  "\\b[2-9]\\d{3}[ -]\\d{4}[ -]\\d{4}\\b",
  "\\b[A-CEGHJ-PR-TW-Z]{2} ?\\d{2} ?\\d{2} ?\\d{2} ?[A-D]\\b",
  "\\b\\d{3}[ -]?\\d{3}[ -]?\\d{4}\\b",
  "\\b[A-Z]{6}\\d{2}[A-EHLMPR-T]\\d{2}[A-Z]\\d{3}[A-Z]\\b",
  "\\b[12]\\d{2}(?:0[1-9]|1[0-2])\\d{2}\\d{3}\\d{3}\\d{2}\\b",
  "\\b\\d{8}[A-HJ-NP-TV-Z]\\b",
  "\\b[XYZ]\\d{7}[A-HJ-NP-TV-Z]\\b",
  "\\b\\d{6}[-+A]\\d{3}[0-9A-FHJ-NPR-Y]\\b",
  "\\b(?:19|20)?\\d{6}[-+]\\d{4}\\b",
  "\\b\\d{6} ?\\d{5}\\b",
  "\\b\\d{9}[VvXx]\\b",
  "\\b\\d{6}-[1-8]\\d{6}\\b",
  "\\b[STFGM]\\d{7}[A-Z]\\b",
  "\\b[A-Z]\\d{6}\\([0-9A]\\)",
  "\\b[A-Z][12]\\d{8}\\b",
  "\\b\\d{17}[0-9Xx]\\b",
  "\\b\\d{4} \\d{4} \\d{4}\\b",
  "\\b\\d{3} \\d{3} \\d{3}\\b",
  "\\b\\d{2} \\d{3} \\d{3} \\d{3}\\b",
  "\\b[A-Z]{2}\\d{7}\\b",
  "\\b[A-Z]\\d{8}\\b",
  "\\b\\d{9}\\b",
  "\\+\\d{1,3}[ -]?\\(?\\d{1,4}\\)?(?:[ -]?\\d{2,4}){2,4}\\b",
  "\\(\\d{3}\\) ?\\d{3}-\\d{4}\\b",
  "\\b0\\d{1,4}[ /-]?\\d{5,8}\\b",
  "\\b\\d{1,3}(?:\\.\\d{1,3}){3}\\b",
  "\\b(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}\\b",
  "\\b[A-HJ-NPR-Z0-9]{17}\\b",
  "\\b[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}\\b",
  "\\b\\d{5}-\\d{4}\\b",
  "\\b\\d{4}/\\d{2}/\\d{2}\\b",
  "\\b(?:0[1-9]|[12]\\d|3[01])\\.(?:0[1-9]|1[0-2])\\.(?:19|20)\\d{2}\\b",
  "\\b[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?\\b",
];

/** A shape with the number of digits changed: a further country's identifier. */
function variant(shape: string, round: number): string {
  return round === 0 ? shape : shape.replace(/\{(\d+)\}/, (_, count: string) => `{${Number(count) + round}}`);
}

/** Rules that a bundle may have at most without a literal, beside which all added ones have one. */
const ungatedCount = 74;

/** The regular expressions of W, as many as wanted: up to 300 as described above, then further providers. */
export function patterns(count = 300): string[] {
  const ungated = Array.from({ length: ungatedCount }, (_, index) =>
    variant(digits[index % digits.length] ?? "", Math.floor(index / digits.length)),
  );
  const known = [
    ...ungated,
    ...prefixes.map(prefixed),
    ...providers.map((provider, index) => assigned(provider, values[index % values.length] ?? "")),
  ];
  const random = seededRandom(2);
  const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
  while (known.length < count) {
    const name = Array.from({ length: 7 }, letter).join("");
    known.push(assigned(name, values[known.length % values.length] ?? ""));
  }
  return known.slice(0, count);
}
