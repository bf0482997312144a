import type { Clock } from '../../../lib/clock.ts';
import type { Http } from '../../../lib/outbound/http.ts';
import type { ForeignIdentity } from '../accounts/index.ts';
import type { Settings } from '../../site/settings/index.ts';

/** Origins of the sites; environment variables can replace them with a private installation. */
interface ProviderAddresses {
  github: string;
  telegram: string;
  githubApi: string;
  linuxdo: string;
  discord: string;
}

export interface ProviderDeps {
  settings: Pick<Settings, 'get'>;
  http: Pick<Http, 'request'>;
  addresses: ProviderAddresses;
  clock: Clock;
}

/** The data that bind one sign-in together from start to end. */
export interface Round {
  /** Id of the round; passed through the browser. */
  state: string;
  /**
   * Proves that the round is completed by the browser that started it (PKCE, RFC 7636). '' for a round of an older
   * console, which opens the page without a challenge.
   */
  verifier: string;
  /** Binds an id token to the round (OpenID Connect Core 3.1.2.1). '' for a round of an older console. */
  nonce: string;
  /** The address to which the provider's page redirects. */
  redirectUri: string;
  /** What the provider has posted (SAML). */
  answer?: string;
}

/** The provider's data in the redirect. */
export interface Returned {
  code: string;
  /** Issuer, if the provider sends it (RFC 9207); '' otherwise. */
  issuer: string;
}

/** A way to sign in whose page opens in the browser and redirects back with a code. */
export interface SignInProvider {
  /** Id in addresses and in the table of identities. */
  id: string;
  /** Display name. */
  name: string;
  isEnabled(): boolean;
  /** True if only users who bound it before can sign in with it. */
  signsNobodyUp?: true;
  /** The address of the consent page. */
  pageFor(round: Round): Promise<string>;
  /** The identity of the user. Throws if it cannot be determined. */
  identify(round: Round, returned: Returned): Promise<ForeignIdentity>;
  /** The identity in a response that the browser posts for the provider (SAML). Throws if it is not for this round. */
  receive?(round: Round, response: string): Promise<ForeignIdentity>;
}
