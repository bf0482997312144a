import { isObject, parseObject } from '../../lib/json.ts';
import type { personalData as rows } from '../../store/index.ts';
import { type LogRow, showOwnLog } from '../logs/index.ts';

/** A row as it is exported. */
export type FlatRow = Record<string, string | number | boolean | null>;

type RowOf<Name extends 'account' | 'audit' | 'tasks'> = Awaited<ReturnType<(typeof rows)[Name]>>[number];

/** Settings of a user that are secrets of theirs at another site. */
const secretSettings = /secret|token|key|password/i;

/** JSON text without some of its fields; '' where it is no object. */
function without(text: string, isLeftOut: (name: string) => boolean): string {
  const fields = parseObject(text);
  if (!fields) return '';
  return JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([name]) => !isLeftOut(name))));
}

/** The account, without the secrets that its settings hold. */
export const showAccount = ({ setting, ...row }: RowOf<'account'>): FlatRow => ({
  ...row,
  setting: without(setting, (name) => secretSettings.test(name)),
});

/**
 * What was done to the account. Where somebody else did it, where they sat is their affair, and what administrators note
 * about a user is never told.
 */
export function showAudit({ detail, ...row }: RowOf<'audit'>, userId: number): FlatRow & { id: number } {
  const { changes, ...note } = parseObject(detail) ?? {};
  const shown = isObject(changes)
    ? Object.fromEntries(Object.entries(changes).filter(([name]) => name !== 'remark'))
    : {};
  const isOther = row.actor_id !== userId;
  return {
    ...row,
    ...(isOther && { method: '', ip: '', user_agent: '' }),
    detail: JSON.stringify({ ...note, ...(Object.keys(shown).length > 0 && { changes: shown }) }),
  };
}

/** Where callers fetch what was made; a vendor's own address says who made it. */
const madeAt: Readonly<Record<string, (taskId: string) => string>> = {
  mj: (taskId) => `/mj/image/${taskId}`,
  video: (taskId) => `/v1/videos/${taskId}/content`,
};

/** A task with what was made: its address here, and the songs or words that callers are answered. */
export function showTask({ result, ...row }: RowOf<'tasks'>): FlatRow & { id: number } {
  const at = row.state === 'succeeded' ? madeAt[row.platform]?.(row.task_id) : undefined;
  const data = row.platform === 'suno' ? parseObject(result)?.['data'] : undefined;
  return { ...row, made_at: at ?? '', made: data === undefined ? '' : JSON.stringify(data) };
}

/** A row of the log as its own user sees it. */
export const showLogRow = (row: LogRow): FlatRow => ({ ...showOwnLog(row, '') });
