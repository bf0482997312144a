import { localeOf, type Language } from '../i18n.ts';

/** Unix seconds → 2026-11-21 04:17:05 in the reader's time zone, the same in both languages so that columns align. */
export function formatDateTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const relativeFormats = new Map<Language, Intl.RelativeTimeFormat>();

/** Unix seconds relative to `now`: in 3 days, 5 minutes ago, now. */
export function formatRelative(seconds: number, now: number, language: Language): string {
  const distance = seconds - now;
  const words =
    relativeFormats.get(language) ?? new Intl.RelativeTimeFormat(localeOf(language), { numeric: 'auto' });
  relativeFormats.set(language, words);
  const step = steps.find(([, size]) => Math.abs(distance) >= size);
  return step ? words.format(Math.trunc(distance / step[1]), step[0]) : words.format(0, 'second');
}

const two = (value: number) => String(value).padStart(2, '0');

/**
 * A moment in the reader's time zone, with its offset, in the format of programs and spreadsheets:
 * 2026-11-23T08:05:09+08:00.
 */
export function isoTime(at: number): string {
  const date = new Date(at * 1000);
  const offset = -date.getTimezoneOffset();
  const local = new Date((at + offset * 60) * 1000).toISOString().slice(0, 19);
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
