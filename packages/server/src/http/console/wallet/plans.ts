import { planApi } from '@tollgate/contract';
import type { Plans } from '../../../services/money/payments/index.ts';
import { requireActor } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

/** The calls about plans and subscriptions (docs/money.md#plans). */
export const planRoutes = ({ plans }: { plans: Plans }): MountedRoute[] =>
  implement(planApi, {
    offers: (_input, context) => plans.offers(requireActor(context).id),
    async subscribe({ plan, pay }, context) {
      return { pay_link: await plans.subscribe(requireActor(context).id, plan, pay) };
    },
    async renew({ id, renews }, context) {
      await plans.setRenewal(requireActor(context).id, id, renews);
      return null;
    },
    list: () => plans.list(),
    create: (input) => plans.create(input),
    update: ({ id, ...input }) => plans.update(id, input),
    async remove({ id }) {
      await plans.remove(id);
      return null;
    },
    subscriptions: ({ p, page_size }) => plans.subscriptions({ page: p, pageSize: page_size }),
    async gift({ plan, user_id: userId }) {
      await plans.gift(plan, userId);
      return null;
    },
    async end({ id }) {
      await plans.end(id);
      return null;
    },
  });
