import type { LogData } from '@tollgate/contract';

/** One attempt on one channel. */
export interface TriedChannel {
  channel: number;
  /** '' if it is no longer known. */
  name: string;
  ms: number;
  /** Error code and status of a failed attempt. */
  reason?: string | undefined;
  status?: number | undefined;
}

/** The fields of a failed call's row. */
export interface Failure {
  /** HTTP status of the answer; 0 if the row does not have it. */
  status: number;
  code: string;
  path: string;
  /** Number of calls that the row sums up. */
  calls: number;
  /** The upstream's message, if it differs from the caller's. Only for operators. */
  upstream: { status: number; message: string } | null;
  /** The tried channels. Only for operators. */
  tries: TriedChannel[];
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Reads the row of a failed call; rows of other programs may lack any field. */
export function failureOf(row: Pick<LogData, 'other' | 'channel' | 'channel_name'>): Failure {
  const other = fieldsOf(row.other);
  const admin = isObject(other.admin_info) ? other.admin_info : {};
  const tries = Array.isArray(admin.tries) ? admin.tries.filter(isObject) : [];
  return {
    status: numberOf(other.status_code),
    code: textOf(other.error_code),
    path: textOf(other.request_path),
    calls: Math.max(1, numberOf(other.failed_calls)),
    upstream: isObject(admin.error)
      ? { status: numberOf(admin.error.status), message: textOf(admin.error.message) }
      : null,
    tries: tries.map(({ channelId, ms, reason, status }) => ({
      channel: numberOf(channelId),
      // The row has only the last channel's name; the others have only ids.
      name: channelId === row.channel ? row.channel_name : '',
      ms: numberOf(ms),
      reason: textOf(reason),
      ...(typeof status === 'number' ? { status } : {}),
    })),
  };
}
