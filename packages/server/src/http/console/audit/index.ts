import { auditApi, type AuditData, role, userHistoryApi } from '@tollgate/contract';
import type { Accounts } from '../../../services/people/accounts/index.ts';
import type { Audit } from '../../../services/site/audit/index.ts';
import type { Auth } from '../../../services/people/auth/index.ts';
import type { Tokens } from '../../../services/people/tokens/index.ts';
import { requireActor } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { publicId } from '../user/sign-in.ts';

export interface AuditRouteDeps {
  audit: Pick<Audit, 'list'>;
  accounts: Pick<Accounts, 'get' | 'movements'>;
  auth: Pick<Auth, 'sessions'>;
  tokens: Pick<Tokens, 'list'>;
}

/** Maximum number of one user's keys that an administrator gets. */
const maxTokens = 100;

/** A row for the administrator who is its subject: without its notes, and without addresses of other actors. */
function ownRow({ changes: { remark: _remark, ...changes }, ...row }: AuditData, id: number): AuditData {
  const isOther = row.actor_id !== 0 && row.actor_id !== id;
  return { ...row, changes, ...(isOther && { ip: '', user_agent: '' }) };
}

/** Actions of people, for root; and records about one user, for administrators of higher rank. */
export const auditRoutes = ({ audit, accounts, auth, tokens }: AuditRouteDeps): MountedRoute[] => [
  ...implement(auditApi, {
    list: ({ start_timestamp, end_timestamp, ...query }) =>
      audit.list({ ...query, start: start_timestamp, end: end_timestamp }),
  }),
  ...implement(userHistoryApi, {
    // Reading the user first refuses callers without the right.
    async audit({ id, before, limit }, context) {
      const actor = requireActor(context);
      await accounts.get(actor, id);
      const page = await audit.list({ userId: id, before, limit });
      const isOwn = actor.id === id && actor.role < role.root;
      return isOwn ? { ...page, items: page.items.map((row) => ownRow(row, id)) } : page;
    },
    async sessions({ id }, context) {
      await accounts.get(requireActor(context), id);
      return (await auth.sessions.list(id)).map(({ id_hash, ...row }) => ({ ...row, id: publicId(id_hash) }));
    },
    async tokens({ id }, context) {
      const { group } = await accounts.get(requireActor(context), id);
      return tokens.list({ id, group }, { offset: 0, limit: maxTokens });
    },
    movements: (query, context) => accounts.movements(requireActor(context), query),
  }),
];
