import { budgetApi } from '@tollgate/contract';
import type { Budgets } from '../../services/money/budgets/index.ts';
import { actorOf } from '../context.ts';
import { implement, type MountedRoute } from '../implement.ts';

export interface BudgetRouteDeps {
  budgets: Budgets;
}

/** Budgets. Who may see and change one is decided by what it applies to. */
export const budgetRoutes = ({ budgets }: BudgetRouteDeps): MountedRoute[] =>
  implement(budgetApi, {
    list: (scope, context) => budgets.list(actorOf(context), scope),
    create: (input, context) => budgets.create(actorOf(context), input),
    update: ({ id, ...change }, context) => budgets.update(actorOf(context), id, change),
    async remove({ id }, context) {
      await budgets.remove(actorOf(context), id);
      return null;
    },
  });
