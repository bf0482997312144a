import type { ReaderLanguage } from './accept-language.ts';
import { isObject } from './json.ts';

/**
 * The language that somebody keeps among their settings (the JSON text of their row); undefined for those who keep none.
 * A damaged text keeps none either: nobody is refused anything for it.
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
