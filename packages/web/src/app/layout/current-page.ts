import { useMatches } from '@tanstack/react-router';
import { useCurrentUser } from '../../lib/session.ts';
import type { PageEntry } from '../page-entry.ts';

/** The open page; undefined if no page has this address. */
export const useCurrentPage = (): PageEntry | undefined =>
  useMatches({ select: (matches) => matches.at(-1)?.staticData.page });

/** The frame type of the open page. */
export function useFrameKind(): 'console' | 'site' | 'bare' {
  const user = useCurrentUser();
  const frame = useCurrentPage()?.frame ?? 'either';
  return frame === 'either' ? (user ? 'console' : 'site') : frame;
}
