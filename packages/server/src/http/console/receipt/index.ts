import { receiptApi } from '@tollgate/contract';
import type { Receipts } from '../../../services/upkeep/logs/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface ReceiptRouteDeps {
  receipts: Receipts;
}

/** The receipt of a request: for the one who made it, and for administrators. */
export const receiptRoutes = ({ receipts }: ReceiptRouteDeps): MountedRoute[] =>
  implement(receiptApi, {
    get: ({ request }, context) => receipts.find(actorOf(context), request),
  });
