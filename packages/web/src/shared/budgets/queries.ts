import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { budgetApi, type BudgetData, type CallOf, statementApi } from '@tollgate/contract';
import { call, callFile } from '../../lib/api/api-client.ts';

const root = ['budgets'] as const;

/** Target of budgets. Absent fields are not filtered. */
export interface BudgetScope {
  token_id?: number;
  user_id?: number;
  team_id?: number;
  group?: string;
  /** Budgets that each new user or member gets; '' for those that count calls. */
  for_each?: BudgetData['for_each'];
  /** Only those with at least this percentage used or held. */
  near?: number;
}

export const budgetsQuery = (scope: BudgetScope) =>
  queryOptions({
    queryKey: [...root, scope],
    queryFn: ({ signal }) => call(budgetApi.list, scope, { signal }),
  });

const ofRun = (run: string, username: string) => ({ run, ...(username !== '' && { username }) });

/** A run and its sub-runs, of a user or of oneself. Empty if there is none. */
export const runsQuery = (run: string, username: string) =>
  queryOptions({
    queryKey: [...root, 'runs', run, username],
    queryFn: ({ signal }) => call(budgetApi.runs, ofRun(run, username), { signal }),
  });

/** The entries of a run and its sub-runs, by pages. */
export const runReceiptQuery = (run: string, username: string) =>
  infiniteQueryOptions({
    queryKey: [...root, 'receipt', run, username],
    queryFn: ({ pageParam, signal }) =>
      call(statementApi.run, { ...ofRun(run, username), after: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });

/** All entries of a run, as a file. */
export const readRunFile = (run: string, username: string, format: 'csv' | 'pdf'): Promise<Blob> =>
  callFile(statementApi.run, { ...ofRun(run, username), format });

/** Whose runs a list has: the reader's or a user's newest ones, or those of the keys that a key has made. */
export type RunScope = { username?: string } | { token_id: number };

/** Runs that the reader may not see are no error: the list is hidden. */
export const runListQuery = (scope: RunScope) =>
  queryOptions({
    queryKey: [...root, 'run-list', scope],
    queryFn: ({ signal }) => call(budgetApi.runs, scope, { signal }),
    meta: { quiet: true },
    retry: false,
  });

/** Creates a budget, or changes the one with the id. */
export function useSaveBudget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (
      change: { create: CallOf<typeof budgetApi.create> } | { update: CallOf<typeof budgetApi.update> },
    ) => {
      if ('create' in change) await call(budgetApi.create, change.create);
      else await call(budgetApi.update, change.update);
    },
    onSettled: () => client.invalidateQueries({ queryKey: root }),
    meta: { quiet: true },
  });
}

export function useRemoveBudget() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(budgetApi.remove, { id }),
    onSettled: () => client.invalidateQueries({ queryKey: root }),
  });
}
