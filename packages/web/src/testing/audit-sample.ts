import type { AuditData } from '@tollgate/contract';
import { people, sampleTime } from './samples.ts';

/** An administrator put a user into another group. */
export const auditSample = (given: Partial<AuditData> = {}): AuditData => ({
  id: 1,
  at: sampleTime,
  kind: 'user.update',
  outcome: '',
  actor_id: people.admin.id,
  actor_name: people.admin.username,
  user_id: people.user.id,
  target_type: 'user',
  target_id: String(people.user.id),
  target_name: people.user.username,
  method: 'session',
  ip: '192.0.2.1',
  user_agent: 'Mozilla/5.0',
  request_id: 'r-1',
  changes: { group: { before: 'default', after: 'vip' } },
  note: {},
  ...given,
});
