import { pageSizes } from '@tollgate/contract';
import { useCallback } from 'react';
import { stored } from '../../lib/storage.ts';
import type { Paging } from './types.ts';

type PageSize = (typeof pageSizes)[number];
const isPageSize = (size: number): size is PageSize => pageSizes.some((known) => known === size);

/** The user's page size for all lists; changing it returns to the first page. */
function usePageSize(toFirstPage: () => void): [size: PageSize, change: (size: number) => void] {
  const size = stored.pageSize.use();
  const change = useCallback(
    (next: number) => {
      if (isPageSize(next)) stored.pageSize.set(next);
      toFirstPage();
    },
    [toFirstPage],
  );
  return [size, change];
}

/**
 * The paging of a table without the number of rows, which the answer has.
 *
 * @param page the shown page, from the address or a state
 * @param toPage shows another page
 */
export function usePaging(page: number, toPage: (page: number) => void): Omit<Paging, 'total' | 'exact'> {
  const [pageSize, onPageSize] = usePageSize(() => toPage(1));
  return { page, pageSize, onPage: toPage, onPageSize };
}
