import type { Core } from './core.ts';
import { modelMonthRoutes, priceChangeRoutes } from '../http/console/price-changes/index.ts';
import type { MountedRoute } from '../http/implement.ts';
import { randomText } from '../lib/random.ts';
import {
  createModelMonths,
  createRehearsals,
  type ModelMonths,
  type Rehearsals,
} from '../services/money/rehearsal/index.ts';
import { createReratings, type Reratings } from '../services/money/rerating/index.ts';

/** Rehearsals of prices, and corrections of past charges. */
export interface PriceChanges {
  rehearsals: Rehearsals;
  reratings: Reratings;
}

/** Opens both on the core; the thread of a rehearsal opens the database by its address. */
export function openPriceChanges(core: Core): PriceChanges {
  const { store, env, settings, clock, log, ledger, audit } = core;
  const rehearsals = createRehearsals({
    store,
    address: { url: env.databaseUrl, logUrl: env.logDatabaseUrl, dataDir: env.dataDir },
    settings,
    newId: () => randomText(16),
    clock,
    log,
  });
  const reratings = createReratings({
    store,
    ledger,
    rehearsals,
    audit,
    sumsHourly: () => settings.get('LogConsumeEnabled') && settings.get('DataExportEnabled'),
    clock,
    log,
  });
  return { rehearsals, reratings };
}

const openMonths = ({ store, env, settings, pricing, clock }: Core): ModelMonths =>
  createModelMonths({
    store,
    address: { url: env.databaseUrl, logUrl: env.logDatabaseUrl, dataDir: env.dataDir },
    settings,
    pricing,
    clock,
  });

/** The console calls about changes of prices. */
export const priceRoutes = (core: Core, changes = openPriceChanges(core)): MountedRoute[] => [
  ...priceChangeRoutes(changes),
  ...modelMonthRoutes({ months: openMonths(core) }),
];
