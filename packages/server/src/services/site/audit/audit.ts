import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { audit as auditRows, type Db, inTransaction } from '../../../store/index.ts';
import type { Audit, AuditedCall, AuditEvent, AuditQuery } from './types.ts';
import type { AuditData, AuditPage } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';

const isId = (text: string): boolean => /^\d{1,15}$/.test(text);

/** The requested page, newest first. */
async function readPage(db: Db, { before, limit, ...query }: AuditQuery): Promise<AuditPage> {
  const { actor = '', target, userId, kind, text, start, end } = query;
  const filter = {
    ...(start && { start }),
    ...(end && { end }),
    ...(actor !== '' && (isId(actor) ? { actorId: Number(actor) } : { actorName: actor })),
    ...(target && { target }),
    ...(userId && { userId }),
    ...(kind && { kind }),
    ...(text && { text }),
  };
  const rows = await auditRows.list(db, filter, { ...(before > 0 && { before }), limit });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { items: rows.map(show), next: last?.id ?? null };
}

function show({ detail, ...row }: auditRows.AuditRow): AuditData {
  const { changes, ...note } = readDetail(detail);
  return { ...row, changes: (changes ?? {}) as AuditData['changes'], note: note as AuditData['note'] };
}

/** The detail of a row; '' if the text cannot be read, because all rows are written by Tollgate. */
function readDetail(detail: string): Record<string, unknown> {
  const parsed: unknown = detail === '' ? {} : JSON.parse(detail);
  return isObject(parsed) ? parsed : {};
}

export interface AuditDeps {
  db: Db;
  /** A separate connection, so that slow lists do not block other work. */
  reports: Db;
  clock: Clock;
}

/** A call, and whether an event was recorded in it. */
interface Scope extends AuditedCall {
  hasRecorded: boolean;
}

/** Time in seconds in which a recorded read is not recorded again. */
const readingSeconds = 3_600;

/** The database itself refuses to delete newer rows. */
const minDays = 30;
/** Maximum number of rows deleted in one run. */
const maxExpired = 500;

/**
 * Opens the audit log. The current call is propagated through asynchronous work, so events do not need the caller as an
 * argument.
 */
export function createAudit({ db, reports, clock }: AuditDeps): Audit {
  const scopes = new AsyncLocalStorage<Scope>();

  const record = async (trx: Db, event: AuditEvent, isReading: boolean): Promise<void> => {
    const scope = scopes.getStore();
    if (scope) scope.hasRecorded = true;
    const row = rowOf(scope, event, seconds(clock));
    if (!row || (event.changes && Object.keys(event.changes).length === 0)) return;
    if (isReading && (await auditRows.exists(trx, row, row.at - readingSeconds))) return;
    await auditRows.insert(trx, row);
  };

  return {
    record: (trx, event) => record(trx, event, false),
    recordOnce: (trx, event) => record(trx, event, true),
    list: (query) => readPage(reports, query),
    async expire(days) {
      if (days <= 0) return 0;
      const before = seconds(clock) - Math.max(days, minDays) * 86_400;
      return inTransaction(db, async (trx) => {
        const rows = await auditRows.expire(trx, before, maxExpired);
        if (rows > 0) await record(trx, { kind: 'audit.expire', note: { before, days, rows } }, false);
        return rows;
      });
    },
    during: (call, work) =>
      scopes.run({ ...call, hasRecorded: false }, async () => {
        const result = await work();
        const scope = scopes.getStore();
        if (scope?.kind && !scope.hasRecorded) {
          await record(db, { userId: scope.actor?.id ?? 0 }, false);
        }
        return result;
      }),
  };
}

/** The row of an event; undefined if neither it nor the call has a kind. */
function rowOf(
  scope: Scope | undefined,
  { kind = scope?.kind, outcome = '', actor = scope?.actor ?? undefined, target, ...event }: AuditEvent,
  at: number,
): Parameters<typeof auditRows.insert>[1] | undefined {
  if (kind === undefined) return undefined;
  const { changes, note } = event;
  return {
    at,
    kind,
    outcome,
    actor_id: actor?.id ?? 0,
    actor_name: actor?.username ?? '',
    user_id: event.userId ?? (target?.type === 'user' ? Number(target.id) : 0),
    target_type: target?.type ?? '',
    target_id: target ? String(target.id) : '',
    target_name: target?.name ?? '',
    method: event.method ?? scope?.method ?? '',
    ip: scope?.ip ?? '',
    user_agent: scope?.userAgent ?? '',
    request_id: scope?.requestId ?? '',
    detail: changes || note ? JSON.stringify({ ...note, ...(changes && { changes }) }) : '',
  };
}
