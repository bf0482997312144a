/** A language that Tollgate supports. */
export type ReaderLanguage = 'zh' | 'en';

/** The first of Chinese and English in an Accept-Language by weight; undefined if it has neither. */
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
