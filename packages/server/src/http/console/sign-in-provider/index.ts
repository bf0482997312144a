import { signInProviderApi } from '@tollgate/contract';
import type { AddedProviders } from '../../../services/people/oauth/index.ts';
import type { Settings } from '../../../services/site/settings/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface SignInProviderRouteDeps {
  providers: AddedProviders;
  settings: Pick<Settings, 'get'>;
}

/** The OpenID providers that root adds (docs/compatibility.md#third-party-sign-in). */
export const signInProviderRoutes = ({ providers, settings }: SignInProviderRouteDeps): MountedRoute[] =>
  implement(signInProviderApi, {
    list: () => providers.list(),
    async create(input) {
      await providers.create(input);
      return null;
    },
    async update(input) {
      await providers.update(input);
      return null;
    },
    async remove({ slug, bindings }) {
      await providers.remove(slug, bindings);
      return null;
    },
    discover: (input, { origin }) => providers.check(input, settings.get('ServerAddress') || origin),
  });
