import { MutationCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

/** A refusal stays the same; only a lost connection or a failing server is retried. */
const shouldRetry = (failures: number, error: Error): boolean =>
  failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502);

/** Server data of the console. Failed changes go to `onMutationError`; failed reads are shown where the data would be. */
export function createQueryClient(onMutationError: (error: Error) => void): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: shouldRetry, staleTime: 15_000, refetchOnWindowFocus: false },
      mutations: { retry: false },
    },
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, mutation) => {
        // Forms that show the error beside the field say so.
        if (mutation.meta?.quiet !== true) onMutationError(error);
      },
    }),
  });
}
