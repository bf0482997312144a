import { formatDateTime } from '../../lib/format/date-format.ts';

/** Unix seconds → the text of a date field, local time. */
export const toDateText = formatDateTime;

/** The text of a date field → Unix seconds; null for an empty one, NaN for an invalid date. */
export const fromDateText = (text: string | null): number | null =>
  text === null || text === '' ? null : Math.floor(Date.parse(text.replace(' ', 'T')) / 1000);
