/** In order: a browser's user agent also contains names of later entries. */
const browsers: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];

const systems: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

const find = (list: typeof browsers, text: string) => list.find(([, mark]) => mark.test(text))?.[0];

/** First word of an unknown program's user agent. */
const firstWord = (userAgent: string) => userAgent.split(/[\s;(]/, 1)[0]?.slice(0, 40) ?? '';

/** Browser and system of a session: `Firefox · Windows`; '' if unknown. */
export function deviceOf(userAgent: string): string {
  const browser = find(browsers, userAgent) ?? firstWord(userAgent);
  const system = find(systems, userAgent);
  return [browser, system].filter(Boolean).join(' · ');
}
