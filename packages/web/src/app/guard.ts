import { accessRole } from '@tollgate/contract';
import type { Status } from '../lib/api/status.ts';
import type { PageEntry } from './page-entry.ts';

/** What keeps a person from a page; null when nothing does. */
export type Barrier = 'to-setup' | 'to-home' | 'to-login' | 'no-access' | null;

/**
 * Decides before a page loads: a fresh install goes to the set-up, a finished one away
 * from it, a guest to the login. Rights are the server's; this only spares people a page that would stay empty.
 *
 * @param role - role of the person logged in, null for a guest
 */
export function barrierFor(
  page: Pick<PageEntry, 'path' | 'access' | 'closed'>,
  status: Status,
  role: number | null,
): Barrier {
  if (page.path === '/setup') return status.setup ? 'to-home' : null;
  if (!status.setup) return 'to-setup';
  if (role === null && (page.access !== 'public' || page.closed?.(status))) return 'to-login';
  if (page.access === 'public' || role === null) return null;
  return role >= accessRole[page.access] ? null : 'no-access';
}
