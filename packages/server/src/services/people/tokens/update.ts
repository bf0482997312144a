import { AppError, type TokenChange, type TokenData, tokenStatus } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { type Db, tokens } from '../../../store/index.ts';
import { grantToken } from '../../money/ledger/index.ts';
import { checkName, columnsOf } from './columns.ts';
import { type Owner, scopeOf, showToken, statusOf } from './read.ts';
import { differences } from '../../site/audit/index.ts';
import { changingToken, targetOf, type TokensDeps } from './deps.ts';

async function findOwn(deps: TokensDeps, owner: Owner, id: number): Promise<tokens.TokenRow> {
  const row = await tokens.findOwn(deps.db, id, scopeOf(owner));
  if (!row) throw new AppError('row_not_found');
  return row;
}

/**
 * Enables or disables a token. A token that is expired or exhausted cannot be enabled; its date or quota must be
 * changed first, with the original's messages (docs/compatibility.md#messages).
 */
export async function setTokenStatus(
  deps: TokensDeps,
  owner: Owner,
  { id, status }: { id: number; status: number | undefined },
): Promise<TokenData> {
  if (status !== tokenStatus.enabled && status !== tokenStatus.disabled)
    throw new AppError('invalid_parameter');
  const row = await findOwn(deps, owner, id);
  if (status === tokenStatus.enabled) {
    const state = statusOf({ ...row, status }, seconds(deps.clock));
    if (state === tokenStatus.expired) throw new AppError('token_expired');
    if (state === tokenStatus.exhausted) throw new AppError('token_exhausted');
  }
  return writeToken(deps, owner, id, async ({ db }) => {
    await noteChange(deps, db, row, { status });
    return tokens.update(db, id, scopeOf(owner), { status });
  });
}

/** Changes a token; its allowance is changed through the ledger, in the same transaction. */
export async function editToken(
  deps: TokensDeps,
  owner: Owner,
  change: TokenChange,
  requestId: string,
): Promise<TokenData> {
  const row = await findOwn(deps, owner, change.id);
  if (change.name !== undefined) checkName(change.name);
  const group = change.group ?? '';
  if (group !== '' && group !== row.group && !deps.mayUseGroup(owner.group, group)) {
    throw new AppError('token_group_forbidden');
  }
  const columns = columnsOf(change);
  return writeToken(deps, owner, change.id, async (money) => {
    // First the token's lock, in the lock order of all money operations. By 0 if only "unlimited" may have changed.
    const granted = await grantToken(money, {
      txn: `token:${change.id}:${requestId}`,
      tokenId: change.id,
      change: change.remain_quota === undefined ? { by: 0 } : { to: change.remain_quota },
      actorId: owner.id,
    });
    await noteChange(deps, money.db, row, { ...columns, remain_quota: granted.after }, granted.before);
    // Only the allowance changes, or nothing: no column of the row is written.
    if (Object.keys(columns).length === 0) return true;
    return tokens.update(money.db, change.id, scopeOf(owner), columns);
  });
}

/** Writes the audit record; its former allowance was read under the token's lock. */
async function noteChange(
  { audit }: TokensDeps,
  db: Db,
  row: tokens.TokenRow,
  columns: tokens.TokenChange & { remain_quota?: number },
  allowance = row.remain_quota,
): Promise<void> {
  const changes = differences({ ...row, remain_quota: allowance }, columns);
  await audit.record(db, { userId: row.user_id, target: targetOf(row), changes });
}

async function writeToken(
  deps: TokensDeps,
  owner: Owner,
  id: number,
  write: Parameters<typeof changingToken<boolean>>[2],
): Promise<TokenData> {
  if (!(await changingToken(deps, id, write))) throw new AppError('row_not_found');
  return showToken(await findOwn(deps, owner, id), seconds(deps.clock));
}

/** Deletes a token softly: its logs keep its name. */
export async function removeToken(deps: TokensDeps, owner: Owner, id: number): Promise<void> {
  const now = seconds(deps.clock);
  const row = await findOwn(deps, owner, id);
  const removed = await changingToken(deps, id, async ({ db }) => {
    await deps.audit.record(db, { userId: owner.id, target: targetOf(row) });
    return tokens.softDelete(db, id, scopeOf(owner), now);
  });
  if (!removed) throw new AppError('row_not_found');
}
