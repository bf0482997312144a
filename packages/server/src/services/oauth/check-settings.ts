import type { Settings } from '../settings/index.ts';
import { readProvider } from './check-provider.ts';
import type { ProviderDeps } from './types.ts';

export interface OidcCheckDeps {
  http: ProviderDeps['http'];
  settings: Pick<Settings, 'get'>;
}

/**
 * Asks the built-in OpenID provider before a setting is saved that sends people there: another address of its document,
 * or the switch. Throws what is wrong with it in words; other settings pass.
 */
export const createOidcCheck =
  ({ http, settings }: OidcCheckDeps) =>
  async (key: string, value: string): Promise<void> => {
    const address = addressToAsk(settings, key, value.trim());
    // What is no address is refused where it is saved.
    if (!/^https?:\/\//.test(address)) return;
    // The document is read by nobody in particular; the library only wants some client.
    const client = { id: 'a-trial', secret: 'a-trial' };
    await readProvider(http, { address, client, scopes: '' }, 'oidc_discovery_failed');
  };

/** The document that matters from now on; '' when what is saved changes nothing of it. */
function addressToAsk(settings: OidcCheckDeps['settings'], key: string, value: string): string {
  const stored = settings.get('oidc.well_known');
  if (key === 'oidc.well_known') return value === stored ? '' : value;
  const isOpened = key === 'oidc.enabled' && value === 'true' && !settings.get('oidc.enabled');
  return isOpened ? stored : '';
}
