import {
  priceSyncApi,
  pricesApi,
  publishedRatios,
  modelMonthApi,
  rehearsalApi,
  reratingApi,
} from '@tollgate/contract';
import type { PriceSync } from '../../../services/money/price-sync/index.ts';
import type { PriceBook } from '../../../services/money/pricing/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { ModelMonths, Rehearsals } from '../../../services/money/rehearsal/index.ts';
import type { Reratings } from '../../../services/money/rerating/index.ts';
import { requireActor } from '../../context.ts';

interface PricesRouteDeps {
  prices: PriceBook;
  priceSync: PriceSync;
  /** Models that enabled channels offer. */
  served: () => readonly string[];
}

/** Prices of models for administrators, and public price lists for comparison. */
export const pricesRoutes = ({ prices, priceSync, served }: PricesRouteDeps): MountedRoute[] => [
  ...implement(pricesApi, {
    list: () => ({
      served: [...served()],
      tables: prices.tables(),
      published: publishedRatios,
      announced: prices.announced(),
      follows: prices.follows(),
    }),
    update: async ({ changes }) => ({ changed: await prices.change(changes) }),
  }),
  ...implement(priceSyncApi, {
    compare: ({ again }) => priceSync.compare(again === 'true'),
    approve: async ({ rows }) => ({ changed: await priceSync.approve(rows) }),
  }),
];

interface PriceChangeRouteDeps {
  rehearsals: Rehearsals;
  reratings: Reratings;
}

/** Rehearsals of prices and corrections of past charges, for root only. */
export const priceChangeRoutes = ({ rehearsals, reratings }: PriceChangeRouteDeps): MountedRoute[] => [
  ...implement(rehearsalApi, {
    start: ({ draft, ...selection }) => ({ id: rehearsals.start(draft, selection) }),
    get: ({ rehearsal }) => rehearsals.state(rehearsal),
    stop({ rehearsal }) {
      rehearsals.stop(rehearsal);
      return null;
    },
  }),
  ...implement(reratingApi, {
    list: (page) => reratings.list(page),
    get: ({ rerating }) => reratings.get(rerating),
    rows: ({ rerating, ...page }) => reratings.rows(rerating, page),
    start: (order, context) => reratings.start(requireActor(context).id, order),
    stop: ({ rerating }) => reratings.stop(rerating),
    revert: ({ rerating, reason }, context) => reratings.revert(requireActor(context).id, rerating, reason),
  }),
];

/** This month with another model: users for their own calls, administrators for the whole site. */
export const modelMonthRoutes = ({ months }: { months: ModelMonths }): MountedRoute[] =>
  implement(modelMonthApi, {
    own: ({ model }, context) => months.of(model, requireActor(context).id),
    site: ({ model }) => months.of(model, 0),
  });
