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
  /** Stops a running rehearsal, or discards a finished one. */
  stop: () => void;
  isStarting: boolean;
  /** The state of the started rehearsal; undefined before. */
  data: RehearsalData | undefined;
  error: Error | null;
}

/** One rehearsal of a draft: start, polling, stop. The server discards it when the component unmounts. */
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
    // It may be gone already, which is the desired result.
    return () => {
      client.removeQueries({ queryKey: ['price-rehearsal', id] });
      call(rehearsalApi.stop, { rehearsal: id }).catch(() => undefined);
    };
  }, [id, client]);
  return {
    start: (scope) => start.mutate(scope),
    stop: () => setId(null),
    // Until its first state arrives: a second click would start another one.
    isStarting: start.isPending || (id !== null && data === undefined && error === null),
    data: id === null ? undefined : data,
    error,
  };
}
