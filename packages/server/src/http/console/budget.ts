import { budgetApi } from '@tollgate/contract';
import type { Budgets } from '../../services/money/budgets/index.ts';
import { requireActor } from '../context.ts';
import { implement, type MountedRoute } from '../implement.ts';

export interface BudgetRouteDeps {
  budgets: Budgets;
}

/** Calls of budgets. The conditions of a budget determine who may see and change it. */
export const budgetRoutes = ({ budgets }: BudgetRouteDeps): MountedRoute[] =>
  implement(budgetApi, {
    list: (scope, context) => budgets.list(requireActor(context), scope),
    runs: (asked, context) => budgets.runs(requireActor(context), asked),
    create: (input, context) => budgets.create(requireActor(context), input),
    update: ({ id, ...change }, context) => budgets.update(requireActor(context), id, change),
    async remove({ id }, context) {
      await budgets.remove(requireActor(context), id);
      return null;
    },
  });
