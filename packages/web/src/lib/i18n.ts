import { useCallback } from 'react';
import { localeOf, type Language } from './language.ts';
import { stored } from './storage.ts';

export { localeOf, type Language } from './language.ts';

/** A text in both languages; English may have a singular and a plural, chosen by `{count}`. */
export interface Text {
  zh: string;
  en: string | { one: string; other: string };
}

/** The names of the `{slots}` in a literal text. */
type Slots<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Slots<Rest> : never;
/** The values of a text: none, or one for each slot. */
type Values<T extends Text> = [Slots<T['zh']>] extends [never]
  ? []
  : [values: Record<Slots<T['zh']>, string | number>];

/** Declares the texts of a feature. A missing language is a type error. */
export const texts = <const T extends Record<string, Text>>(entries: T): T => entries;

/** Slots with amounts, which are grouped; other numbers are names: of a page, a channel, a status. */
const amounts = /^(count|done|total|failed)$/;

/** A text in a language with filled slots; amounts are grouped as in the language (6,250). */
export function translate<T extends Text>(language: Language, text: T, ...[values]: Values<T>): string {
  const slots: Record<string, string | number> = values ?? {};
  const form = text[language];
  const pattern = typeof form === 'string' ? form : form[Number(slots.count) === 1 ? 'one' : 'other'];
  return pattern.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = slots[name] ?? slot;
    // Smaller numbers have no groups, and the browser's number format takes longer than the rendering of a row.
    return typeof value === 'number' && amounts.test(name) && !(value >= 0 && value < 1000)
      ? value.toLocaleString(localeOf(language))
      : String(value);
  });
}

/** `t(text.title)`: a text in the language of the reader. */
export type Translate = <T extends Text>(text: T, ...values: Values<T>) => string;

/** The language of the reader; it follows changes in any tab. */
export const useLanguage = (): Language => stored.language.use();

export function useTranslate(): Translate {
  const language = useLanguage();
  return useCallback((text, ...values) => translate(language, text, ...values), [language]);
}

/** Changes the language of the console, and of the document for hyphenation and screen readers. */
export function setLanguage(language: Language): void {
  stored.language.set(language);
  document.documentElement.lang = localeOf(language);
}
