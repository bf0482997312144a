import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { lazy } from '../../lib/lazy.ts';
import type { BudgetScope, RunScope } from './queries.ts';

const Budgets = lazy(async () => ({ default: (await import('./budgets.tsx')).Budgets }));

const RunList = lazy(async () => ({ default: (await import('./run-list.tsx')).RunList }));

/** Runs whose code loads when they are shown. */
export const LazyRunList = (props: { scope: RunScope; title: string; username: string }) => (
  <Suspense>
    <RunList {...props} />
  </Suspense>
);

/** Budgets whose code loads when they are shown. */
export const LazyBudgets = (props: { scope: BudgetScope; mayAdd: boolean }) => (
  <Suspense fallback={<Skeleton height={48} />}>
    <Budgets {...props} />
  </Suspense>
);
