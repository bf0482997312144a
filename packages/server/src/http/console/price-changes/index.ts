import { rehearsalApi } from '@tollgate/contract';
import type { Rehearsals } from '../../../services/rehearsal/index.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface PriceChangeRouteDeps {
  rehearsals: Rehearsals;
}

/** Prices tried on what was used before they are saved, for root alone. */
export const priceChangeRoutes = ({ rehearsals }: PriceChangeRouteDeps): MountedRoute[] =>
  implement(rehearsalApi, {
    start: ({ draft, ...selection }) => ({ id: rehearsals.start(draft, selection) }),
    get: ({ rehearsal }) => rehearsals.state(rehearsal),
    stop({ rehearsal }) {
      rehearsals.stop(rehearsal);
      return null;
    },
  });
