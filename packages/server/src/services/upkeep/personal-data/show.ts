import { isObject, parseObject } from '../../../lib/json.ts';
import type { personalData as rows } from '../../../store/index.ts';
import { type LogRow, showOwnLog } from '../logs/index.ts';

/** A row in its exported form. */
export type FlatRow = Record<string, string | number | boolean | null>;

type RowOf<Name extends 'account' | 'audit' | 'tasks'> = Awaited<ReturnType<(typeof rows)[Name]>>[number];

/** Settings of a user that are secrets of other sites. */
const secretSettings = /secret|token|key|password/i;

/** JSON text without some fields; '' if it is not an object. */
function without(text: string, isLeftOut: (name: string) => boolean): string {
  const fields = parseObject(text);
  if (!fields) return '';
  return JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([name]) => !isLeftOut(name))));
}

/** The account, without the secrets in its settings. */
export const showAccount = ({ setting, ...row }: RowOf<'account'>): FlatRow => ({
  ...row,
  setting: without(setting, (name) => secretSettings.test(name)),
});

/**
 * Audit records about the account. The address of another actor and administrators' notes about the user are not
 * exported.
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

/** Addresses from which callers fetch results; a vendor's own address would reveal the vendor. */
const madeAt: Readonly<Record<string, (taskId: string) => string>> = {
  mj: (taskId) => `/mj/image/${taskId}`,
  video: (taskId) => `/v1/videos/${taskId}/content`,
};

/** A task with its results: its address here, and the songs or texts that callers receive. */
export function showTask({ result, ...row }: RowOf<'tasks'>): FlatRow & { id: number } {
  const at = row.state === 'succeeded' ? madeAt[row.platform]?.(row.task_id) : undefined;
  const data = row.platform === 'suno' ? parseObject(result)?.['data'] : undefined;
  return { ...row, made_at: at ?? '', made: data === undefined ? '' : JSON.stringify(data) };
}

/** A row of the log in its own user's view. */
export const showLogRow = (row: LogRow): FlatRow => ({ ...showOwnLog(row, '') });
