import { rehearsalApi, type RehearsalData } from '@tollgate/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../lib/api/api-client.ts';
import { type Scope, selectionOf } from './scope.ts';

/** Option → whole new text. */
export type PriceDraft = Readonly<Record<string, string>>;

const pollMs = 500;

interface Rehearsal {
  start: (scope: Scope) => void;
  /** Ends the one that runs, or forgets the one that has ended. */
  stop: () => void;
  isStarting: boolean;
  /** What is known of the one that was started; undefined before. */
  data: RehearsalData | undefined;
  error: Error | null;
}

/** One rehearsal of a draft: started, watched, stopped; forgotten at the server when the component goes. */
export function useRehearsal(draft: PriceDraft): Rehearsal {
  const [id, setId] = useState<string | null>(null);
  const client = useQueryClient();
  const start = useMutation({
    mutationFn: (scope: Scope) => call(rehearsalApi.start, { draft, ...selectionOf(scope) }),
    onSuccess: (started) => setId(started.id),
  });
  const { data, error } = useQuery({
    queryKey: ['price-rehearsal', id],
    queryFn: ({ signal }) => call(rehearsalApi.get, { rehearsal: id ?? '' }, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? pollMs : false),
  });
  useEffect(() => {
    if (id === null) return undefined;
    // It may be gone already, which is what is wanted.
    return () => {
      client.removeQueries({ queryKey: ['price-rehearsal', id] });
      call(rehearsalApi.stop, { rehearsal: id }).catch(() => undefined);
    };
  }, [id, client]);
  return {
    start: (scope) => start.mutate(scope),
    stop: () => setId(null),
    // Until the first word of it comes: a second press would start another.
    isStarting: start.isPending || (id !== null && data === undefined && error === null),
    data: id === null ? undefined : data,
    error,
  };
}
