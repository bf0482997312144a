import { AppError, teamRole, walletApi, redemptionApi } from '@tollgate/contract';
import type { Log } from '../../../lib/log.ts';
import type { Buyer, Payments } from '../../../services/money/payments/index.ts';
import type { Teams } from '../../../services/people/teams/index.ts';
import { FileAnswer } from '../../answer.ts';
import { type CallContext, requireActor } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { notifyRoutes } from './notify.ts';
import type { Redemptions } from '../../../services/money/redemptions/index.ts';

/**
 * The answers of the top-up calls (docs/compatibility.md#online-top-up): `{message: 'success', data, …}`, or
 * `{message: 'error', data: text}` for a refusal, without `success`. Refusals with their own HTTP status (limits,
 * faults) have the usual format.
 */
const withoutSuccess = (route: MountedRoute): MountedRoute => ({
  ...route,
  async serve(raw, context) {
    try {
      const { body, ...served } = await route.serve(raw, context);
      const { success: _success, ...fields } = body as Record<string, unknown>;
      return { ...served, body: { ...fields, message: 'success' } };
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 200) throw error;
      return {
        status: 200,
        body: { message: 'error', data: error.say(context.language), code: error.code },
      };
    }
  },
});

interface WalletRouteDeps {
  payments: Payments;
  teams: Pick<Teams, 'membership'>;
  log: Log;
}

/** The buyer, and the wallet to fill: that of a team if the buyer may fund it. */
async function buyerFor(teams: Pick<Teams, 'membership'>, buyer: Buyer, teamId: number): Promise<Buyer> {
  if (teamId === 0) return buyer;
  const { team } = await teams.membership(buyer.id, teamId, teamRole.manager);
  return { ...buyer, team: { id: team.id, accountId: team.account_id } };
}

const oddOnes = new Set(
  [walletApi.amount, walletApi.pay, walletApi.stripeAmount, walletApi.stripePay].map(({ path }) => path),
);

/** The wallet's calls and the payment provider's callbacks (docs/compatibility.md#online-top-up). */
export const walletRoutes = ({ payments, teams, log }: WalletRouteDeps): MountedRoute[] => {
  const invoice = async (
    asked: Parameters<Payments['invoice']>[0],
    format: 'json' | 'pdf',
    { language }: CallContext,
  ) => {
    const found = await payments.invoice(asked);
    if (format === 'json') return found.data;
    async function* whole() {
      yield await found.pdf(language);
    }
    // A prefix may have characters that names of files cannot have.
    return new FileAnswer(found.data.number.replaceAll(/[^\w.-]/g, '-'), format, whole());
  };
  const calls = implement(walletApi, {
    redeem: ({ key }, context) => payments.redeem({ id: requireActor(context).id }, key),
    amount: ({ amount }, context) => payments.quote(requireActor(context), amount),
    async pay({ amount, payment_method, team_id }, context) {
      const buyer = await buyerFor(teams, requireActor(context), team_id);
      const { url, fields } = await payments.start(buyer, amount, payment_method);
      return { data: fields, extra: { url } };
    },
    stripeAmount: ({ amount }, context) => payments.quoteStripe(requireActor(context), amount),
    async stripePay({ amount, team_id }, context) {
      const buyer = await buyerFor(teams, requireActor(context), team_id);
      return { pay_link: await payments.startStripe(buyer, amount) };
    },
    orders: ({ p, page_size }, context) =>
      payments.orders(requireActor(context).id, { page: p, pageSize: page_size }),
    allOrders: ({ p, page_size, ...filter }) => payments.allOrders(filter, { page: p, pageSize: page_size }),
    invoice: ({ trade_no: tradeNo, kind, format }, context) =>
      invoice({ tradeNo, kind, userId: requireActor(context).id }, format, context),
    anyInvoice: ({ trade_no: tradeNo, kind, format }, context) => invoice({ tradeNo, kind }, format, context),
    refund: ({ trade_no: tradeNo, reason }, context) =>
      payments.refund(requireActor(context), { tradeNo, reason }),
    async complete({ trade_no }) {
      await payments.complete(trade_no);
      return null;
    },
  });
  return [
    ...calls.map((call) => (oddOnes.has(call.path) ? withoutSuccess(call) : call)),
    ...notifyRoutes({ payments, log }),
  ];
};

interface RedemptionRouteDeps {
  redemptions: Redemptions;
}

/** Redemption code calls (docs/compatibility.md#redemption-codes). Redeeming one is a call of the wallet. */
export const redemptionRoutes = ({ redemptions }: RedemptionRouteDeps): MountedRoute[] =>
  implement(redemptionApi, {
    list: ({ p, page_size, sort }) => redemptions.list({ page: p, pageSize: page_size, keyword: '', sort }),
    search: ({ p, page_size, keyword, sort }) =>
      redemptions.list({ page: p, pageSize: page_size, keyword, sort }),
    get: ({ id }) => redemptions.get(id),
    reveal: ({ id }) => redemptions.reveal(id),
    create: (input, context) => redemptions.create(requireActor(context).id, input),
    update({ id, status, status_only, ...edit }) {
      if (status_only) {
        if (status === undefined) throw new AppError('invalid_parameter');
        return redemptions.setStatus(id, status);
      }
      return redemptions.edit(id, edit);
    },
    async remove({ id }) {
      await redemptions.remove(id);
      return null;
    },
    removeInvalid: () => redemptions.removeInvalid(),
  });
