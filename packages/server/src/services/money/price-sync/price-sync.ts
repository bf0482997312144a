import {
  AppError,
  dollarsOf,
  isJump,
  isPricedIn,
  type PriceChange,
  type PriceSourceName,
  priceSourceNames,
  type PriceSourceState,
  type PriceTables,
  publishedRatios,
  ratiosIn,
  type SeenPriceChange,
  type SyncReport,
  withPriceChanges,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { PriceBook } from '../pricing/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { compare, trustOf } from './compare.ts';
import { type FindModel, buildNameIndex } from './name-index.ts';
import { type ReadDeps, readList, UnreadableList } from './read-source.ts';

export interface PriceSyncDeps extends ReadDeps {
  settings: Pick<Settings, 'get'>;
  prices: PriceBook;
  /** Models that enabled channels offer. */
  served: () => readonly string[];
  clock: Clock;
  log: Log;
}

/** A price that an administrator has approved. */
interface ApprovedPrice extends SeenPriceChange {
  /** True if a person has checked this model. */
  own: boolean;
}

/** Public price lists beside the prices of this site. */
export interface PriceSync {
  /** Reads the lists and compares; changes nothing. Lists are cached for an hour, with `again` for a minute. */
  compare(again: boolean): Promise<SyncReport>;
  /**
   * Writes approved prices in one save of the options. Throws `price_is_zero`, `price_needs_own_approval` for a large
   * change that a rule allowed, or `price_changed`; nothing is written then.
   */
  approve(rows: readonly ApprovedPrice[]): Promise<number>;
}

const keptMs = 3_600_000;
const againMs = 60_000;
/** Number of our models that a list must call free before the list is doubted. */
const manyFree = 5;

type Failure = Pick<PriceSourceState, 'cause' | 'status' | 'reason'>;
const noFailure: Failure = { cause: '', status: 0, reason: '' };

interface ReadList {
  source: PriceSourceName;
  state: 'off' | 'ok' | 'failed';
  failure: Failure;
  priced: number;
  free: number;
  find: FindModel;
}

const nowhere = (source: PriceSourceName, state: 'off' | 'failed', failure = noFailure): ReadList => ({
  source,
  state,
  failure,
  priced: 0,
  free: 0,
  find: () => undefined,
});

const failureOf = (error: unknown): Failure => ({
  ...(error instanceof UnreadableList
    ? { cause: error.why, status: error.status }
    : { cause: 'unreachable', status: 0 }),
  reason: String(error).slice(0, 200),
});

/** Opens the comparison with public price lists. */
export function createPriceSync(deps: PriceSyncDeps): PriceSync {
  const { settings, prices, served, clock, log } = deps;
  let last: { places: string; at: number; lists: Promise<ReadList[]> } | undefined;

  const read = async (source: PriceSourceName, place: string): Promise<ReadList> => {
    if (place === '') return nowhere(source, 'off');
    try {
      const listings = await readList(source, place, deps);
      const free = listings.filter(({ dollars }) => dollars === null).length;
      const priced = listings.length - free;
      return { source, state: 'ok', failure: noFailure, priced, free, find: buildNameIndex(listings) };
    } catch (error) {
      log.warn({ source, reason: String(error) }, 'a price list could not be read');
      return nowhere(source, 'failed', failureOf(error));
    }
  };

  const listsNow = (again: boolean): { at: number; lists: Promise<ReadList[]> } => {
    const places = settings.get('PriceSyncSources');
    const key = JSON.stringify(places);
    const isFresh = last?.places === key && clock() - last.at < (again ? againMs : keptMs);
    if (last && isFresh) return last;
    const lists = Promise.all(priceSourceNames.map((source) => read(source, places[source] ?? '')));
    last = { places: key, at: clock(), lists };
    return last;
  };

  return {
    async compare(again) {
      const nothing = { checked_time: 0, sources: [], rows: [], same: 0, unlisted: [] };
      if (!settings.get('PriceSyncEnabled')) return { enabled: false, ...nothing };
      const { at, lists } = listsNow(again);
      const tables = prices.tables();
      const states = (await lists).map((list) => ({ list, state: stateOf(list, tables) }));
      const usable = states.filter(({ state }) => state.state === 'ok');
      const here = { tables, served: served(), quotaPerUnit: settings.get('QuotaPerUnit') };
      return {
        enabled: true,
        checked_time: seconds(() => at),
        sources: states.map(({ state }) => state),
        ...compare(here, new Map(usable.map(({ list }) => [list.source, list.find]))),
      };
    },
    approve(rows) {
      const own = new Set(rows.filter((row) => row.own).map(({ model }) => model));
      const quotaPerUnit = settings.get('QuotaPerUnit');
      return prices.change(rows, (change, tables) =>
        checkApproved(change, own.has(change.model), tables, quotaPerUnit),
      );
    },
  };
}

function stateOf(list: ReadList, tables: PriceTables): PriceSourceState {
  const { source, priced: models, free, failure } = list;
  const common = { source, models, free, ...failure };
  if (list.state !== 'ok') return { ...common, state: list.state };
  const trust = trustOf(list.find, tables);
  if (trust.free >= manyFree && trust.free > trust.priced) return { ...common, state: 'doubtful' };
  return { ...common, state: models === 0 ? 'empty' : 'ok' };
}

function checkApproved(change: PriceChange, own: boolean, tables: PriceTables, quotaPerUnit: number): void {
  const { model, set } = change;
  if (Object.keys(set).length === 0) return;
  const written = Object.values(set).filter((value) => value !== null);
  if (written.length === 0 || written.some((value) => value === 0))
    throw new AppError('price_is_zero', { model });
  const before = isPricedIn(tables, model)
    ? dollarsOf(ratiosIn(tables, model, publishedRatios), quotaPerUnit)
    : null;
  const after = dollarsOf(
    ratiosIn(withPriceChanges(tables, [change]).tables, model, publishedRatios),
    quotaPerUnit,
  );
  if (!own && isJump(before, after)) throw new AppError('price_needs_own_approval', { model });
}
