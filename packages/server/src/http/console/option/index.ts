import { isSettingKey, optionApi, optionWithoutEffect, signInProviderApi } from '@tollgate/contract';
import type { Pricing } from '../../../services/money/pricing/index.ts';
import type { CheckVersion } from '../../../services/upkeep/status/index.ts';
import type { Settings } from '../../../services/site/settings/index.ts';
import { answer } from '../../answer.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { AddedProviders } from '../../../services/people/oauth/index.ts';

interface OptionRouteDeps {
  settings: Pick<Settings, 'list' | 'set' | 'secretsSet'>;
  pricing: Pick<Pricing, 'resetModelRatio'>;
  checkVersion: CheckVersion;
  /** Throws the reason if an option must not be saved with this value because of other services. */
  checkOption: (key: string, value: string) => Promise<void>;
}

/** The site's options, for root only; secrets are written and never returned (docs/compatibility.md#options). */
export const optionRoutes = ({
  settings,
  pricing,
  checkVersion,
  checkOption,
}: OptionRouteDeps): MountedRoute[] =>
  implement(optionApi, {
    list: () => ({ data: settings.list(), extra: { secrets_set: settings.secretsSet() } }),
    async update({ key, value }, { language }) {
      await checkOption(key, value);
      await settings.set(key, value);
      return isSettingKey(key) ? null : answer({ data: null, message: optionWithoutEffect[language] });
    },
    latestVersion: ({ again }) => checkVersion(again === 'true'),
    async resetModelRatio() {
      await pricing.resetModelRatio();
      return null;
    },
  });

interface SignInProviderRouteDeps {
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
