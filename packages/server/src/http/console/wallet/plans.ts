import { autoTopUpApi, planApi } from '@tollgate/contract';
import type { AutoTopUps, Plans } from '../../../services/money/payments/index.ts';
import { requireActor } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

interface PlanRouteDeps {
  plans: Plans;
  autoTopUps: AutoTopUps;
}

/** The calls about payments that repeat: plans and subscriptions (docs/money.md#plans), automatic top-up. */
export const planRoutes = ({ plans, autoTopUps }: PlanRouteDeps): MountedRoute[] => [
  ...implement(planApi, {
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
  }),
  ...implement(autoTopUpApi, {
    get: (_input, context) => autoTopUps.get(requireActor(context).id),
    async set(input, context) {
      await autoTopUps.set(requireActor(context), input);
      return null;
    },
    async card(_input, context) {
      return { pay_link: await autoTopUps.saveCard(requireActor(context).id) };
    },
    async removeCard(_input, context) {
      await autoTopUps.removeCard(requireActor(context).id);
      return null;
    },
  }),
];
