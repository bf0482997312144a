import { useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Param } from './params.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The parameters that the user is typing in this history entry. */
    typed?: string;
  }
}

type Params = Record<string, Param<unknown>>;

interface ChangeOptions {
  /** Replaces the current history entry. */
  replace?: boolean;
  /** The user is typing the value: all typing in one field is one history entry. */
  typed?: boolean;
}

type Values<P extends Params> = { [Name in keyof P]: P[Name] extends Param<infer T> ? T : never };

/**
 * State in the address: filters, page, tab, the open record. A reload, the Back button and a shared link keep it; default
 * values are not in the address. `params` must be a constant of the module.
 *
 * @returns the values, and a function that changes some of them
 */
export function useUrlState<P extends Params>(
  params: P,
): [Values<P>, (change: Partial<Values<P>>, options?: ChangeOptions) => void] {
  const search: Record<string, string> = useSearch({ strict: false });
  const router = useRouter();

  const values = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(params).map(([name, param]) => [name, param.read(search[name])]),
      ) as Values<P>,
    [params, search],
  );

  const change = useCallback(
    (next: Partial<Values<P>>, { replace = false, typed = false }: ChangeOptions = {}) => {
      const written: Record<string, string | undefined> = Object.fromEntries(
        Object.entries(next).map(([name, value]) => [name, params[name]?.write(value)]),
      );
      const { search: present, state } = router.state.location;
      const known: Record<string, string> = present;
      const names = Object.keys(written);
      // An unchanged field creates no entry.
      if (typed && names.every((name) => (known[name] ?? '') === (written[name] ?? ''))) return;
      const field = names.join(' ');
      void router.navigate({
        to: '.',
        replace: replace || (typed && state.typed === field),
        ...(typed && { state: { typed: field } }),
        resetScroll: false,
        search: (previous: Record<string, string>) => ({ ...previous, ...written }),
      });
    },
    [router, params],
  );
  return [values, change];
}
