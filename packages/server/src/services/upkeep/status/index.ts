import { type PublicSignInProvider, role, type StatusData } from '@tollgate/contract';
import { sha256 } from '../../../lib/hash.ts';
import { type Db, setups } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { Setup } from '../setup/index.ts';

export { createAlarmFinder, diskRoom } from './find-alarms.ts';
export { type Block, findBlocks } from './find-blocks.ts';
export { announceRetiring } from './retiring-models.ts';
export { warnOfBudgets } from './warn-of-budgets.ts';
export { createReadiness } from './readiness.ts';
export { type CheckVersion, createVersionCheck } from './version-check.ts';

export interface StatusDeps {
  db: Db;
  settings: Pick<Settings, 'get' | 'publicStatus'>;
  setup: Pick<Setup, 'isDone'>;
  version: string;
  /** DEMO_SITE: a demo for all users, regardless of the settings. */
  demoSite: boolean;
  /** The enabled providers added by root. */
  addedProviders(): PublicSignInProvider[];
  /** Origin of the human check's service. */
  turnstileUrl: string;
  /** True if passkeys can be used. */
  passkeysPossible(): boolean;
  /** Unix seconds. */
  startTime: number;
}

/** Public information of the site. */
export interface Status {
  /** For all callers: public settings and a few facts (docs/compatibility.md#envelope-and-routes). From memory. */
  read(): StatusData;
  /**
   * True if this is a demo site for the caller (docs/compatibility.md#modes): by the setting for all except root, who
   * must be able to end it; by the environment also for root.
   */
  isDemoFor(actor: { role: number } | null): boolean;
  /** Resolves when the database responds, rejects otherwise. */
  testDatabase(): Promise<void>;
}

/** A short hash of a public text; its start is sufficient. */
const markOf = (text: string): string => sha256(text).slice(0, 12);

export function createStatus(deps: StatusDeps): Status {
  const { db, settings, setup, version, turnstileUrl, startTime } = deps;
  const filled = (key: 'PayAddress' | 'EpayId' | 'EpayKey' | 'Notice' | 'HomePageContent'): boolean =>
    settings.get(key).trim() !== '';
  return {
    read: () => ({
      ...settings.publicStatus(),
      demo_site_enabled: settings.get('DemoSiteEnabled') || deps.demoSite,
      demo_binds_root: deps.demoSite,
      version,
      custom_oauth_providers: deps.addedProviders(),
      turnstile_url: turnstileUrl,
      start_time: startTime,
      enable_online_topup: filled('PayAddress') && filled('EpayId') && filled('EpayKey'),
      enable_batch_update: false,
      has_notice: filled('Notice'),
      notice_mark: filled('Notice') ? markOf(settings.get('Notice')) : '',
      has_home_page: filled('HomePageContent'),
      passkey_login: deps.passkeysPossible(),
      setup: setup.isDone(),
    }),
    isDemoFor: (actor) =>
      deps.demoSite || (settings.get('DemoSiteEnabled') && (actor?.role ?? role.guest) < role.root),
    async testDatabase() {
      await setups.find(db);
    },
  };
}
