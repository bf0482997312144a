import { pageSizes } from '@tollgate/contract';
import { useCallback } from 'react';
import { stored } from '../../lib/storage.ts';

type PageSize = (typeof pageSizes)[number];
const isPageSize = (size: number): size is PageSize => pageSizes.some((known) => known === size);

/** The page size a person chose once, for all lists; changing it goes back to the first page. */
export function usePageSize(toFirstPage: () => void): [size: PageSize, change: (size: number) => void] {
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
