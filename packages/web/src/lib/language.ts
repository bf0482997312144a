import type { Words } from '@tollgate/contract';

/** The languages of the console; both are first languages. */
export type Language = keyof Words;

/**
 * The language of a first visit: the first of the browser's languages that the console has. Without a match it is
 * English; without browser languages it is Chinese.
 */
export function firstLanguage(preferred: readonly string[]): Language {
  const known = preferred.map((tag) => tag.slice(0, 2).toLowerCase());
  return known.find((tag) => tag === 'zh' || tag === 'en') ?? (known.length === 0 ? 'zh' : 'en');
}

/** The tag for `Intl` and `<html lang>`. */
export const localeOf = (language: Language): string => (language === 'zh' ? 'zh-CN' : 'en-US');
