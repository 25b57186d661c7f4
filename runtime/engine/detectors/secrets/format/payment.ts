// Token formats of payment and shops. Formats are facts that the providers publish.

import type { TokenFormat } from "../token.ts";
import { mixed, mixedLower } from "./judge.ts";

const stripe = "https://docs.stripe.com/keys";
const shopify = "https://shopify.dev/changelog/length-of-the-shopify-access-token-is-increasing";
const square = "https://developer.squareup.com/docs/build-basics/access-tokens";
const flutterwave = "https://developer.flutterwave.com/";

/** The formats. */
export const paymentTokens: readonly TokenFormat[] = [
  ...["sk_live_", "sk_prod_", "rk_live_", "rk_prod_"].map((literal) => ({
    ...{ name: "stripe", literal, after: "[A-Za-z0-9]{10,247}", score: 0.97, reference: stripe },
  })),
  ...["sk_test_", "rk_test_"].map((literal) => ({
    ...{ name: "stripe", literal, after: "[A-Za-z0-9]{10,247}", score: 0.6, reference: stripe },
  })),
  { name: "stripe", literal: "whsec_", after: "[A-Za-z0-9+/]{32,64}={0,2}", score: 0.95, reference: stripe },
  { name: "square", literal: "sq0", after: "(?:atp|csp|idp)-[A-Za-z0-9_-]{22,60}", score: 0.95, reference: square },
  { name: "square", literal: "EAAA", after: "[A-Za-z0-9_-]{54,64}", score: 0.9, reference: square, judge: mixed(0.9) },
  {
    name: "paypal_braintree",
    literal: "access_token$production$",
    after: "[0-9a-z]{16}\\$[0-9a-f]{32}",
    score: 0.99,
    reference: "https://developer.paypal.com/braintree/docs/",
  },
  {
    name: "easypost",
    literal: "EZAK",
    after: "[A-Za-z0-9]{54}",
    score: 0.97,
    reference: "https://docs.easypost.com/docs/authentication",
  },
  {
    name: "easypost",
    literal: "EZTK",
    after: "[A-Za-z0-9]{54}",
    score: 0.8,
    reference: "https://docs.easypost.com/docs/authentication",
  },
  {
    name: "duffel",
    literal: "duffel_",
    after: "(?:test|live)_[A-Za-z0-9_=-]{43}",
    score: 0.95,
    reference: "https://duffel.com/docs",
  },
  {
    name: "flutterwave",
    literal: "FLWSECK",
    after: "(?:_TEST)?-[A-Za-z0-9]{12,32}(?:-X)?",
    score: 0.95,
    reference: flutterwave,
  },
  {
    name: "flutterwave",
    literal: "FLWPUBK",
    after: "(?:_TEST)?-[A-Za-z0-9]{32}-X",
    score: 0.8,
    reference: flutterwave,
  },
  {
    name: "shippo",
    literal: "shippo_",
    after: "(?:live|test)_[a-fA-F0-9]{40}",
    score: 0.97,
    reference: "https://docs.goshippo.com/",
  },
  {
    name: "plaid",
    literal: "access-",
    after: "(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    score: 0.97,
    reference: "https://plaid.com/docs/api/tokens/",
  },
  {
    name: "razorpay",
    literal: "rzp_",
    after: "(?:live|test)_[A-Za-z0-9]{14}",
    score: 0.8,
    reference: "https://razorpay.com/docs/api/authentication/",
  },
  {
    name: "adyen",
    literal: "AQE",
    after: "[A-Za-z0-9]{4,12}[A-Za-z0-9+/]{20,200}={0,2}-[A-Za-z0-9+/]{20,60}={0,2}-",
    score: 0.9,
    reference: "https://docs.adyen.com/development-resources/api-credentials/",
  },
  ...["shpat_", "shpca_", "shppa_", "shpss_"].map((literal) => ({
    ...{ name: "shopify", literal, after: "[a-fA-F0-9]{32}", score: 0.97, reference: shopify },
  })),
  {
    name: "gocardless",
    literal: "live_",
    after: "[A-Za-z0-9_=-]{40}(?![A-Za-z0-9_=-])",
    score: 0.85,
    judge: mixedLower,
    reference: "https://developer.gocardless.com/",
  },
  {
    name: "lob",
    literal: "live_",
    after: "(?:pub_[a-f0-9]{31}|[a-f0-9]{35})",
    score: 0.9,
    reference: "https://docs.lob.com/",
  },
  {
    name: "lob",
    literal: "test_",
    after: "(?:pub_[a-f0-9]{31}|[a-f0-9]{35})",
    score: 0.6,
    reference: "https://docs.lob.com/",
  },
];
