import {
  alarmApi,
  AppError,
  attentionApi,
  channelHealthApi,
  statusApi,
  setupApi,
  role,
} from '@tollgate/contract';
import type { Settings } from '../../../services/site/settings/index.ts';
import type { Block, Status } from '../../../services/upkeep/status/index.ts';
import type { AlarmPlaces, Alarms } from '../../../services/site/notify/index.ts';
import type { ChannelHealth } from '../../../services/calls/routing/index.ts';
import { requireActor } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { Setup } from '../../../services/upkeep/setup/index.ts';
import type { TransportCheck } from '../../plain-transport.ts';

interface StatusRouteDeps {
  status: Status;
  settings: Pick<Settings, 'get'>;
}

/** Public data: the status, and an administrator's texts (docs/compatibility.md#envelope-and-routes). */
export const statusRoutes = ({ status, settings }: StatusRouteDeps): MountedRoute[] =>
  implement(statusApi, {
    status: () => status.read(),
    async test() {
      try {
        await status.testDatabase();
      } catch (cause) {
        throw new AppError('database_unavailable', {}, cause);
      }
      return null;
    },
    notice: () => settings.get('Notice'),
    about: () => settings.get('About'),
    homePageContent: () => settings.get('HomePageContent'),
  });

interface AttentionRouteDeps {
  /** Number of offered models without a price. */
  countUnpriced: () => number;
  findBlocks: () => readonly Block[];
  /** Number of other channels that a failed call is tried on. */
  retries: () => number;
}

/** Problems of the site's setup, for root. */
export const attentionRoutes = ({ countUnpriced, findBlocks, retries }: AttentionRouteDeps): MountedRoute[] =>
  implement(attentionApi, {
    get: (_input, { language }) => ({
      unpriced: countUnpriced(),
      settings: findBlocks().map(({ key, reason }) => ({ key, reason: reason[language] })),
      retries: retries(),
    }),
  });

interface SetupRouteDeps {
  setup: Setup;
  /** Refuses passwords sent without encryption. */
  checkTransport: TransportCheck;
}

/** The first start: open with the one-time token until it is done, then closed for ever. */
export const setupRoutes = ({ setup, checkTransport }: SetupRouteDeps): MountedRoute[] =>
  implement(setupApi, {
    get: () => setup.state(),
    create(input, context) {
      checkTransport(context);
      return setup.run(input, { ip: context.ip });
    },
    rehearse(input, context) {
      checkTransport(context);
      return setup.rehearse(input, { ip: context.ip });
    },
  });

interface HealthRouteDeps {
  channelHealth: Pick<ChannelHealth, 'report' | 'site'>;
  settings: Pick<Settings, 'get'>;
}

/** Health of channels, for operators; and of models, for all callers if the site shows it. */
export const channelHealthRoutes = ({ channelHealth, settings }: HealthRouteDeps): MountedRoute[] =>
  implement(channelHealthApi, {
    report: (query) => channelHealth.report(query),
    site: () => (settings.get('StatusPageEnabled') ? channelHealth.site() : { since: 0, models: [] }),
  });

/** Current alarms, for operators; only root sees those about margins, like margins themselves. */
export const alarmRoutes = (alarms: Pick<Alarms, 'current' | 'test'>, places: AlarmPlaces): MountedRoute[] =>
  implement(alarmApi, {
    async list(_input, context) {
      const isRoot = requireActor(context).role >= role.root;
      return (await alarms.current()).filter(({ cause }) => isRoot || cause !== 'margin_negative');
    },
    places: () => places.list(),
    addPlace: async (place) => ({ id: await places.add(place) }),
    async removePlace({ id }) {
      await places.remove(id);
      return null;
    },
    test: () => alarms.test(),
  });
