import type { Token } from 'parse5';

/** Elements that go with all they contain. */
export const wholeElements: ReadonlySet<string> = new Set(['script', 'style']);

/** Elements of which the tags go and the content stays. */
const actingElements = new Set(['object', 'embed', 'applet', 'base', 'meta', 'link', 'frame', 'frameset']);

/** Attributes that hold an address, or in an SVG animation the values of one. */
const addressAttributes = new Set([
  'href',
  'xlink:href',
  'src',
  'action',
  'formaction',
  'data',
  'poster',
  'background',
  'cite',
  'longdesc',
  'codebase',
  'classid',
  'dynsrc',
  'lowsrc',
  'manifest',
  'from',
  'to',
  'by',
  'values',
]);

/** Browsers drop white space and control characters from a scheme. */
const squeezed = (text: string): string => text.replace(/[\s\p{C}]/gu, '').toLowerCase();

/** True for an address that runs as a program or brings its own page. Pictures may bring their own bytes. */
export function isActingAddress(address: string, isPicture: boolean): boolean {
  const plain = squeezed(address);
  if (isPicture && /^data:image\/(png|jpe?g|gif|webp|svg\+xml)[;,]/.test(plain)) return false;
  return /^(javascript|vbscript|data):/.test(plain);
}

/** The character of a CSS escape; none for what is no character. */
const cssCharacter = (hex: string): string => {
  const code = Number.parseInt(hex, 16);
  return code > 0x10_ff_ff ? '' : String.fromCodePoint(code);
};

/** True for a style that runs a program in some browser. */
function isActingStyle(style: string): boolean {
  const plain = squeezed(
    style
      .replace(/\/\*.*?\*\//gs, '')
      .replace(/\\([\da-f]{1,6})\s?/gi, (_, hex: string) => cssCharacter(hex))
      .replaceAll('\\', ''),
  );
  return /expression\(|url\(["']?(javascript|vbscript|data:text):?|@import|-moz-binding|behavior:/.test(
    plain,
  );
}

/** True when the tag itself goes. Markdown reads `<javascript:…>` as a link. */
export const isActingTag = (name: string): boolean =>
  wholeElements.has(name) || actingElements.has(name) || isActingAddress(name, false);

/** True for an attribute that acts. Without a value it does nothing, and is perhaps plain text: `a <b only if c> d`. */
export function isActingAttribute(tag: string, { name, value }: Token.Attribute): boolean {
  if (value.trim() === '') return false;
  if (name.startsWith('on') || name === 'srcdoc') return true;
  if (name === 'style') return isActingStyle(value);
  if (!addressAttributes.has(name)) return false;
  const isPicture = tag === 'img' && name === 'src';
  const addresses = name === 'values' ? value.split(';') : [value];
  return addresses.some((address) => isActingAddress(address, isPicture));
}
