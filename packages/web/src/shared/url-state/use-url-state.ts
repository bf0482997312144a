import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Param } from './params.ts';

type Params = Record<string, Param<unknown>>;
type Values<P extends Params> = { [Name in keyof P]: P[Name] extends Param<infer T> ? T : never };

/**
 * State that lives in the address: filters, page, tab, the open record. A reload, the back button and a shared link
 * keep it; values at their default leave the address. `params` must be a constant of the module.
 *
 * @returns the values, and a function that changes some of them (`replace` keeps the history short while typing)
 */
export function useUrlState<P extends Params>(
  params: P,
): [Values<P>, (change: Partial<Values<P>>, options?: { replace?: boolean }) => void] {
  const search: Record<string, string> = useSearch({ strict: false });
  const navigate = useNavigate();

  const values = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(params).map(([name, param]) => [name, param.read(search[name])]),
      ) as Values<P>,
    [params, search],
  );

  const change = useCallback(
    (next: Partial<Values<P>>, options?: { replace?: boolean }) => {
      void navigate({
        to: '.',
        replace: options?.replace ?? false,
        resetScroll: false,
        search: (previous: Record<string, string>) => {
          const written = Object.entries(next).map(([name, value]) => [name, params[name]?.write(value)]);
          return { ...previous, ...Object.fromEntries(written) };
        },
      });
    },
    [navigate, params],
  );
  return [values, change];
}
