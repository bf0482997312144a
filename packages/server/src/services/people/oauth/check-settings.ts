import type { Settings } from '../../site/settings/index.ts';
import { readProvider } from './check-provider.ts';
import type { ProviderDeps } from './types.ts';

export interface OidcCheckDeps {
  http: ProviderDeps['http'];
  settings: Pick<Settings, 'get'>;
}

/**
 * Checks the built-in OpenID provider before a setting is saved that uses it: another address of its document, or the
 * toggle. Throws the reason as text; other settings pass.
 */
export const createOidcCheck =
  ({ http, settings }: OidcCheckDeps) =>
  async (key: string, value: string): Promise<void> => {
    const address = addressToAsk(settings, key, value.trim());
    // Invalid addresses are refused where they are saved.
    if (!/^https?:\/\//.test(address)) return;
    // The document does not depend on the client; the library requires one.
    const client = { id: 'a-trial', secret: 'a-trial' };
    await readProvider(http, { address, client, scopes: '' }, 'oidc_discovery_failed');
  };

/** The new address of the document; '' if the saved settings do not change it. */
function addressToAsk(settings: OidcCheckDeps['settings'], key: string, value: string): string {
  const stored = settings.get('oidc.well_known');
  if (key === 'oidc.well_known') return value === stored ? '' : value;
  const isOpened = key === 'oidc.enabled' && value === 'true' && !settings.get('oidc.enabled');
  return isOpened ? stored : '';
}
