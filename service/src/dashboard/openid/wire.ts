import type { Time } from '@svc/sdk';

/** `GET /auth/openid`, also without a session: the OpenID Connect provider. Null: people sign in with passwords only. */
export interface SignInProvider {
  readonly provider: {
    readonly name: string;
    /** Whether people without an account get one, in the workspace for newcomers. */
    readonly admitsNewcomers: boolean;
  } | null;
}

/** `POST /auth/openid/start` and `POST /auth/openid/connect`: the address at the provider. */
export interface ProviderAddress {
  readonly url: string;
}

/** `POST /auth/openid/finish`. */
export interface ProviderSignIn {
  /** True: the second factor is needed. Otherwise a session has started, or the account is connected. */
  readonly twoFactorRedirect?: boolean;
  /** The path of the dashboard to open. */
  readonly next: string;
}

/** `GET /auth/methods`: how the person can sign in. */
export interface SignInMethods {
  readonly password: boolean;
  /** Since when the account is connected to the provider. Null: it is not, or there is no provider. */
  readonly providerSince: Time | null;
}
