import type { ReaderLanguage } from './accept-language.ts';
import { isObject } from './json.ts';

/**
 * The language in a user's settings (the JSON text of their row); undefined if there is none, or if the text is
 * damaged, which must not cause an error.
 */
export function keptLanguage(setting: string): ReaderLanguage | undefined {
  if (!setting.includes('"language"')) return undefined;
  try {
    const value: unknown = JSON.parse(setting);
    const language = isObject(value) ? value['language'] : undefined;
    return language === 'zh' || language === 'en' ? language : undefined;
  } catch {
    return undefined;
  }
}
