// What connects an installation to Stripe. Either everything that it takes is set, or nothing: half a connection would
// take money and not hear of it.

/** The variables, as read from the environment. */
export interface StripeVariables {
  readonly stripeSecretKey?: string | undefined;
  readonly stripeWebhookSecrets?: readonly string[] | undefined;
  readonly stripePriceGrowth?: readonly string[] | undefined;
  readonly stripePriceEnterprise?: readonly string[] | undefined;
  readonly stripeTrialDays?: number | undefined;
  readonly stripeAutomaticTax: "on" | "off";
  readonly stripeApiUrl?: string | undefined;
  readonly allowNetworks?: readonly string[] | undefined;
}

/** A plan that is sold by Stripe. */
export type PricedPlan = "growth" | "enterprise";

/** A connection to Stripe. */
export interface StripeSettings {
  readonly secretKey: string;
  /** Secrets of the webhook endpoint: two while one replaces the other. */
  readonly webhookSecrets: readonly string[];
  /** Ids of prices by plan. The first is sold; those who bought one of the others keep it. */
  readonly prices: Readonly<Record<PricedPlan, readonly string[]>>;
  readonly trialDays: number;
  readonly isTaxAutomatic: boolean;
  /** Where Stripe is; another address than its own leads to a stand-in for tests. */
  readonly apiUrl: URL;
}

const ownUrl = "https://api.stripe.com";

/** The settings; undefined when this installation is not connected. Throws when only a part of them is there. */
export function readStripeSettings(variables: StripeVariables): StripeSettings | undefined {
  const { stripeSecretKey, stripeWebhookSecrets = [], stripePriceGrowth = [], stripePriceEnterprise = [] } = variables;
  const required: [string, boolean][] = [
    ["STRIPE_SECRET_KEY", stripeSecretKey !== undefined],
    ["STRIPE_WEBHOOK_SECRETS", stripeWebhookSecrets.length > 0],
    ["STRIPE_PRICE_GROWTH", stripePriceGrowth.length > 0],
  ];
  const optional: [string, boolean][] = [
    ["STRIPE_PRICE_ENTERPRISE", stripePriceEnterprise.length > 0],
    ["STRIPE_TRIAL_DAYS", variables.stripeTrialDays !== undefined],
    ["STRIPE_AUTOMATIC_TAX", variables.stripeAutomaticTax === "on"],
    ["STRIPE_API_URL", variables.stripeApiUrl !== undefined],
  ];
  const given = [...required, ...optional].filter(([, isSet]) => isSet).map(([name]) => name);
  const missing = required.filter(([, isSet]) => !isSet).map(([name]) => name);
  if (given.length === 0) return undefined;
  if (stripeSecretKey === undefined || missing.length > 0)
    throw new Error(`${given.join(", ")}: set ${missing.join(", ")} too, or nothing that begins with STRIPE_`);
  assertForms(stripeSecretKey, stripeWebhookSecrets, [...stripePriceGrowth, ...stripePriceEnterprise]);
  return {
    secretKey: stripeSecretKey,
    webhookSecrets: stripeWebhookSecrets,
    prices: { growth: stripePriceGrowth, enterprise: stripePriceEnterprise },
    trialDays: variables.stripeTrialDays ?? 0,
    isTaxAutomatic: variables.stripeAutomaticTax === "on",
    apiUrl: readApiUrl(variables),
  };
}

function assertForms(secretKey: string, webhookSecrets: readonly string[], prices: readonly string[]): void {
  if (!/^(sk|rk)_(test|live)_\w+$/.test(secretKey))
    throw new Error("STRIPE_SECRET_KEY: expected a secret or restricted key, which begins with sk_ or rk_");
  if (webhookSecrets.some((secret) => !/^whsec_\S+$/.test(secret)))
    throw new Error("STRIPE_WEBHOOK_SECRETS: expected signing secrets, which begin with whsec_, separated by commas");
  const foreign = prices.find((price) => !/^price_\w+$/.test(price));
  if (foreign !== undefined)
    throw new Error(`STRIPE_PRICE_…: "${foreign}"; expected ids of prices, which begin with price_ (not of products)`);
  if (new Set(prices).size !== prices.length) throw new Error("STRIPE_PRICE_…: a price stands for one plan, once");
}

function readApiUrl({ stripeApiUrl = ownUrl, allowNetworks = [] }: StripeVariables): URL {
  const url = new URL(stripeApiUrl);
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
    throw new Error("STRIPE_API_URL: expected scheme, host and port and nothing else");
  if (url.protocol === "http:" && allowNetworks.length === 0)
    throw new Error("STRIPE_API_URL: an address that begins with http:// needs POLICY_GUARD_ALLOW_NETWORKS");
  return url;
}
