import { modelMonthApi, rehearsalApi, reratingApi } from '@tollgate/contract';
import type { ModelMonths, Rehearsals } from '../../../services/money/rehearsal/index.ts';
import type { Reratings } from '../../../services/money/rerating/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface PriceChangeRouteDeps {
  rehearsals: Rehearsals;
  reratings: Reratings;
}

/** Prices tried on what was used, and past charges corrected to them, for root alone. */
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
    start: (order, context) => reratings.start(actorOf(context).id, order),
    stop: ({ rerating }) => reratings.stop(rerating),
    revert: ({ rerating, reason }, context) => reratings.revert(actorOf(context).id, rerating, reason),
  }),
];

/** This month with another model: one's own for everybody, the site's for administrators. */
export const modelMonthRoutes = ({ months }: { months: ModelMonths }): MountedRoute[] =>
  implement(modelMonthApi, {
    own: ({ model }, context) => months.of(model, actorOf(context).id),
    site: ({ model }) => months.of(model, 0),
  });
