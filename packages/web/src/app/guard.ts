import { accessRole } from '@tollgate/contract';
import type { Status } from '../lib/api/status.ts';
import type { PageEntry } from './page-entry.ts';

/** Where a user is sent instead of a page, or that they may not see it; null if they may. */
export type GuardResult = 'to-setup' | 'to-home' | 'to-login' | 'no-access' | null;

/**
 * Decides before a page loads: a new installation leads to the set-up, a finished one away from it, and guests to the
 * log-in. The server checks rights itself; this only avoids pages that would stay empty.
 *
 * @param role - role of the user who is logged in, null for a guest
 */
export function guardPage(
  page: Pick<PageEntry, 'path' | 'access' | 'closed'>,
  status: Status,
  role: number | null,
): GuardResult {
  if (page.path === '/setup') return status.setup ? 'to-home' : null;
  if (!status.setup) return 'to-setup';
  if (role === null && (page.access !== 'public' || page.closed?.(status))) return 'to-login';
  if (page.access === 'public' || role === null) return null;
  return role >= accessRole[page.access] ? null : 'no-access';
}
