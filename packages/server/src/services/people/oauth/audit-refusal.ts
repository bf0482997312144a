import { AppError } from '@tollgate/contract';
import { type Db, identities } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';

export interface RefusalDeps {
  db: Db;
  audit: Pick<Audit, 'record'>;
}

interface Vouched {
  provider: string;
  subject: string;
}

/** Runs the sign-in of a user who was identified by another site; the audit log records why it was refused. */
export async function auditingRefusal<T>(
  deps: RefusalDeps,
  foreign: Vouched,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) await note(deps, foreign, error.code);
    throw error;
  }
}

async function note(
  { db, audit }: RefusalDeps,
  { provider, subject }: Vouched,
  outcome: string,
): Promise<void> {
  const known = await identities.find(db, { provider, subject });
  await audit.record(db, {
    kind: 'sign_in',
    outcome,
    method: provider,
    note: { subject },
    ...(known && { target: { type: 'user', id: known.user_id } }),
  });
}
