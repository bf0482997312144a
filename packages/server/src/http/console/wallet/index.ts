import { walletApi } from '@tollgate/contract';
import type { Log } from '../../../lib/log.ts';
import type { Payments } from '../../../services/payments/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { notifyRoutes } from './notify.ts';
import { withoutSuccess } from './without-success.ts';

export interface WalletRouteDeps {
  payments: Payments;
  log: Log;
}

const oddOnes = new Set([walletApi.amount.path, walletApi.pay.path]);

/** The wallet's calls and the payment provider's callbacks (docs/compatibility.md#online-top-up). */
export const walletRoutes = ({ payments, log }: WalletRouteDeps): MountedRoute[] => {
  const calls = implement(walletApi, {
    redeem: ({ key }, context) => payments.redeem(actorOf(context).id, key),
    amount: ({ amount }, context) => payments.quote(actorOf(context), amount),
    async pay({ amount, payment_method }, context) {
      const { url, fields } = await payments.start(actorOf(context), amount, payment_method);
      return { data: fields, extra: { url } };
    },
    orders: ({ p, page_size }, context) =>
      payments.orders(actorOf(context).id, { page: p, pageSize: page_size }),
  });
  return [
    ...calls.map((call) => (oddOnes.has(call.path) ? withoutSuccess(call) : call)),
    ...notifyRoutes({ payments, log }),
  ];
};
