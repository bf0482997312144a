import { logType, type LogData } from '@tollgate/contract';
import type { Text } from '../../../lib/i18n.ts';
import type { Tone } from '../../../ui/tag.tsx';
import { otherOf } from './other.ts';
import { text } from './text.ts';

/** Log types by number. */
export const logTypes: Record<number, { word: Text; tone: Tone }> = {
  [logType.topup]: { word: text.typeTopup, tone: 'info' },
  [logType.consume]: { word: text.typeConsume, tone: 'neutral' },
  [logType.manage]: { word: text.typeManage, tone: 'orange' },
  [logType.system]: { word: text.typeSystem, tone: 'accent' },
  [logType.error]: { word: text.typeError, tone: 'bad' },
  [logType.refund]: { word: text.typeRefund, tone: 'good' },
  [logType.login]: { word: text.typeLogin, tone: 'neutral' },
};

/**
 * The kind of a row; undefined for a type of another program. A correction of a charge is no refund, although both have
 * one type.
 */
export const typeOf = (row: LogData): { word: Text; tone: Tone } | undefined =>
  row.type === logType.refund && otherOf(row).correction
    ? { word: text.typeCorrection, tone: 'orange' }
    : logTypes[row.type];

/** The cost of a row for its payer, in quota units; refunds are negative. */
export const costOf = ({ type, quota }: LogData): number => (type === logType.refund ? 0 - quota : quota);

/** Seconds a call took: from 101 slow, from 300 too slow. */
export const durationTone = (seconds: number): Tone =>
  seconds < 101 ? 'good' : seconds < 300 ? 'orange' : 'bad';

/** Milliseconds to the first token: from 3 s slow, from 10 s too slow. */
export const firstTokenTone = (ms: number): Tone => (ms < 3000 ? 'good' : ms < 10_000 ? 'orange' : 'bad');
