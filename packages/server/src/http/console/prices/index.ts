import { priceSyncApi, pricesApi, publishedRatios, unpricedApi } from '@tollgate/contract';
import type { PriceSync } from '../../../services/money/price-sync/index.ts';
import type { PriceBook } from '../../../services/money/pricing/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface PricesRouteDeps {
  prices: PriceBook;
  priceSync: PriceSync;
  /** Models that enabled channels offer. */
  served: () => readonly string[];
}

/** What models cost, for those who run the site, and public price lists beside it. */
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
  ...implement(unpricedApi, {
    count: () => ({ count: prices.unpriced(served()).length }),
  }),
  ...implement(priceSyncApi, {
    compare: ({ again }) => priceSync.compare(again === 'true'),
    approve: async ({ rows }) => ({ changed: await priceSync.approve(rows) }),
  }),
];
