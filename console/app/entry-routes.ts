// The pages outside an organization: signing in, joining, the account.

import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "./missing-file.ts";
import { rootRoute } from "./route-base.tsx";

const getParentRoute = () => rootRoute;

const signInRoute = createRoute({
  getParentRoute,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search.next === "string" ? { next: search.next } : {},
  component: lazyPage(() => import("../page/entry/sign-in.tsx"), "SignInPage"),
});

const ssoRoute = createRoute({
  getParentRoute,
  path: "/sign-in/sso",
  component: lazyPage(() => import("../page/entry/sso.tsx"), "SsoPage"),
});

const signUpRoute = createRoute({
  getParentRoute,
  path: "/sign-up",
  component: lazyPage(() => import("../page/entry/sign-up.tsx"), "SignUpPage"),
});

const confirmRoute = createRoute({
  getParentRoute,
  path: "/register/confirm",
  component: lazyPage(() => import("../page/entry/confirm.tsx"), "ConfirmPage"),
});

const forgottenRoute = createRoute({
  getParentRoute,
  path: "/password-reset",
  component: lazyPage(() => import("../page/entry/forgotten.tsx"), "ForgottenPage"),
});

const newPasswordRoute = createRoute({
  getParentRoute,
  path: "/password-reset/confirm",
  component: lazyPage(() => import("../page/entry/new-password.tsx"), "NewPasswordPage"),
});

const acceptRoute = createRoute({
  getParentRoute,
  path: "/accept",
  component: lazyPage(() => import("../page/entry/accept.tsx"), "AcceptPage"),
});

const joinRoute = createRoute({
  getParentRoute,
  path: "/join/$org",
  component: lazyPage(() => import("./personal.tsx"), "JoinRoute"),
});

const welcomeRoute = createRoute({
  getParentRoute,
  path: "/welcome",
  component: lazyPage(() => import("./personal.tsx"), "WelcomeRoute"),
});

const accountRoute = createRoute({
  getParentRoute,
  path: "/account",
  component: lazyPage(() => import("./personal.tsx"), "AccountRoute"),
});

/** The pages of this group. */
export const entryRoutes = [
  signInRoute,
  ssoRoute,
  signUpRoute,
  confirmRoute,
  forgottenRoute,
  newPasswordRoute,
  acceptRoute,
  joinRoute,
  welcomeRoute,
  accountRoute,
] as const;
