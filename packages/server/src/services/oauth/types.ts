import type { Clock } from '../../lib/clock.ts';
import type { Http } from '../../lib/outbound/http.ts';
import type { ForeignIdentity } from '../accounts/index.ts';
import type { Settings } from '../settings/index.ts';

/** Origins of the sites, which the environment may move to a private installation. */
export interface ProviderAddresses {
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

/** What one sign-in is bound to from its start to its end. */
export interface Round {
  /** Names the round; goes through the browser. */
  state: string;
  /**
   * '' for a round whose page an older console opens, without a challenge. Proves that the one who exchanges the code
   * began the round (PKCE, RFC 7636).
   */
  verifier: string;
  /** '' likewise. Binds an id token to the round (OpenID Connect Core 3.1.2.1). */
  nonce: string;
  /** Where the provider's page leads back to. */
  redirectUri: string;
}

/** What the provider's page handed to the browser. */
export interface Returned {
  code: string;
  /** Issuer, where the provider says it (RFC 9207); '' without. */
  issuer: string;
}

/** A way to sign in whose page opens in the browser and leads back with a code. */
export interface SignInProvider {
  /** As in addresses and in the table of identities. */
  id: string;
  /** For people. */
  name: string;
  isEnabled(): boolean;
  /** True when it only lets in who bound it before. */
  signsNobodyUp?: true;
  /** The address of the page that asks for consent. */
  pageFor(round: Round): Promise<string>;
  /** Who consented. Throws whatever keeps that from being known. */
  identify(round: Round, returned: Returned): Promise<ForeignIdentity>;
}
