import type { Token } from 'parse5';

/** Elements that are removed with their content. */
export const wholeElements: ReadonlySet<string> = new Set(['script', 'style']);

/** Elements whose tags are removed and whose content stays. */
const actingElements = new Set(['object', 'embed', 'applet', 'base', 'meta', 'link', 'frame', 'frameset']);

/** Attributes with an address, or in an SVG animation with the values of one. */
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

/** Browsers ignore white space and control characters in a scheme. */
const squeezed = (text: string): string => text.replace(/[\s\p{C}]/gu, '').toLowerCase();

/** True for an address that runs as a program or contains its own page. Images may be data URLs. */
export function isActingAddress(address: string, isPicture: boolean): boolean {
  const plain = squeezed(address);
  if (isPicture && /^data:image\/(png|jpe?g|gif|webp|svg\+xml)[;,]/.test(plain)) return false;
  return /^(javascript|vbscript|data):/.test(plain);
}

/** The character of a CSS escape; '' if it is not a character. */
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

/** True if the tag itself is removed. Markdown reads `<javascript:…>` as a link. */
export const isActingTag = (name: string): boolean =>
  wholeElements.has(name) || actingElements.has(name) || isActingAddress(name, false);

/** True for an active attribute. Without a value it does nothing, and may be plain text: `a <b only if c> d`. */
export function isActingAttribute(tag: string, { name, value }: Token.Attribute): boolean {
  if (value.trim() === '') return false;
  if (name.startsWith('on') || name === 'srcdoc') return true;
  if (name === 'style') return isActingStyle(value);
  if (!addressAttributes.has(name)) return false;
  const isPicture = tag === 'img' && name === 'src';
  const addresses = name === 'values' ? value.split(';') : [value];
  return addresses.some((address) => isActingAddress(address, isPicture));
}
