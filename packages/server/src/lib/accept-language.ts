import { isObject } from './json.ts';

/** A language that Tollgate supports. */
export type ReaderLanguage = 'zh' | 'en';

/** The preferred language of Chinese and English in an Accept-Language, by weight; undefined if it has neither. */
export function namedLanguage(header: string | undefined): ReaderLanguage | undefined {
  if (!header) return undefined;
  let best: ReaderLanguage | undefined;
  let bestWeight = 0;
  for (const part of header.slice(0, 500).split(',')) {
    const [tag = '', ...rest] = part.trim().toLowerCase().split(';');
    const language = tag.startsWith('zh') ? 'zh' : tag.startsWith('en') ? 'en' : null;
    if (!language) continue;
    const weight = readWeight(rest);
    if (weight > bestWeight) {
      best = language;
      bestWeight = weight;
    }
  }
  return best;
}

function readWeight(parameters: string[]): number {
  const text = parameters.map((each) => each.trim()).find((each) => each.startsWith('q='));
  if (text === undefined) return 1;
  const weight = Number(text.slice(2));
  return Number.isFinite(weight) ? Math.min(1, Math.max(0, weight)) : 0;
}

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
