import type { PublicSignInProvider, StatusData } from '@tollgate/contract';
import { type Db, setups } from '../../store/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Setup } from '../setup/index.ts';

export interface StatusDeps {
  db: Db;
  settings: Pick<Settings, 'get' | 'publicStatus'>;
  setup: Pick<Setup, 'isDone'>;
  version: string;
  /** The providers that root added and that are switched on. */
  addedProviders(): PublicSignInProvider[];
  /** Origin of the human check's service. */
  turnstileUrl: string;
  /** Unix seconds. */
  startTime: number;
}

/** What the site tells about itself. */
export interface Status {
  /** For everybody: public settings and a few facts (docs/compatibility.md#envelope-and-routes). From memory. */
  read(): StatusData;
  /** Resolves when the database answers, rejects otherwise. */
  testDatabase(): Promise<void>;
}

export function createStatus(deps: StatusDeps): Status {
  const { db, settings, setup, version, turnstileUrl, startTime } = deps;
  const filled = (key: 'PayAddress' | 'EpayId' | 'EpayKey' | 'Notice' | 'HomePageContent'): boolean =>
    settings.get(key).trim() !== '';
  return {
    read: () => ({
      ...settings.publicStatus(),
      version,
      custom_oauth_providers: deps.addedProviders(),
      turnstile_url: turnstileUrl,
      start_time: startTime,
      enable_online_topup: filled('PayAddress') && filled('EpayId') && filled('EpayKey'),
      enable_batch_update: false,
      has_notice: filled('Notice'),
      has_home_page: filled('HomePageContent'),
      setup: setup.isDone(),
    }),
    async testDatabase() {
      await setups.find(db);
    },
  };
}
