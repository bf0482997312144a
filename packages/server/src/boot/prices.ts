import type { Core } from './core.ts';
import { priceChangeRoutes } from '../http/console/price-changes/index.ts';
import type { MountedRoute } from '../http/implement.ts';
import { randomText } from '../lib/random.ts';
import { createRehearsals, type Rehearsals } from '../services/rehearsal/index.ts';

/** Opens rehearsals on the core: a thread reads the database by its address. */
const openRehearsals = ({ store, env, settings, clock, log }: Core): Rehearsals =>
  createRehearsals({
    store,
    address: { url: env.databaseUrl, dataDir: env.dataDir },
    settings,
    newId: () => randomText(16),
    clock,
    log,
  });

/** The console calls about changes of prices. */
export const priceRoutes = (core: Core): MountedRoute[] =>
  priceChangeRoutes({ rehearsals: openRehearsals(core) });
