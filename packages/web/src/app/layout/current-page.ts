import { useMatches } from '@tanstack/react-router';
import { useCurrentUser } from '../../lib/session.ts';
import type { PageEntry } from '../page-entry.ts';

/** The page that is open; undefined where no page has this address. */
export const useCurrentPage = (): PageEntry | undefined =>
  useMatches({ select: (matches) => matches.at(-1)?.staticData.page });

/** What stands around the page that is open. */
export function useFrameKind(): 'console' | 'site' | 'bare' {
  const user = useCurrentUser();
  const frame = useCurrentPage()?.frame ?? 'either';
  return frame === 'either' ? (user ? 'console' : 'site') : frame;
}
