import type { AuditData, AuditPage } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import { audit as auditRows, type Db } from '../../../store/index.ts';
import type { AuditQuery } from './types.ts';

const isId = (text: string): boolean => /^\d{1,15}$/.test(text);

/** The requested page, newest first. */
export async function readPage(db: Db, { before, limit, ...query }: AuditQuery): Promise<AuditPage> {
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
