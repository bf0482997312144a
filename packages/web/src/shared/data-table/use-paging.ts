import { pageSizes } from '@tollgate/contract';
import { useCallback } from 'react';
import { stored } from '../../lib/storage.ts';
import type { Paging } from './types.ts';

type PageSize = (typeof pageSizes)[number];
const isPageSize = (size: number): size is PageSize => pageSizes.some((known) => known === size);

/** The page size a person chose once, for all lists; changing it goes back to the first page. */
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
 * The paging of a table, all but the number of rows, which the answer brings.
 *
 * @param page the page that is shown, from the address or a state
 * @param toPage shows another one
 */
export function usePaging(page: number, toPage: (page: number) => void): Omit<Paging, 'total' | 'exact'> {
  const [pageSize, onPageSize] = usePageSize(() => toPage(1));
  return { page, pageSize, onPage: toPage, onPageSize };
}
