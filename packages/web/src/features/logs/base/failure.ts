import type { LogData } from '@tollgate/contract';

/** One try on one channel. */
export interface TriedChannel {
  channel: number;
  /** '' where it is not known any more. */
  name: string;
  ms: number;
  /** Error code and status of a try that failed. */
  reason?: string | undefined;
  status?: number | undefined;
}

/** The fields of a failed call's row. */
export interface Failure {
  /** HTTP status that the caller was answered; 0 where the row does not tell it. */
  status: number;
  code: string;
  path: string;
  /** The number of calls that the row sums up. */
  calls: number;
  /** The upstream's message, if the caller got another one. Only for operators. */
  upstream: { status: number; message: string } | null;
  /** The channels that were tried. Only for operators. */
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

/** Reads the row of a failed call; rows of other programs may lack any of it. */
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
      // The row has only the last channel's name; the others are known by their number.
      name: channelId === row.channel ? row.channel_name : '',
      ms: numberOf(ms),
      reason: textOf(reason),
      ...(typeof status === 'number' ? { status } : {}),
    })),
  };
}
