import { defaultTreeAdapter, parseFragment } from 'parse5';
import { isActingAddress } from './dangers.ts';
import type { Range } from './ranges.ts';

/** The text before the address of a link, an image, or a link definition. */
const beforeAddress = /(?<picture>!\[[^[\]\n]*)?\]\(\s*<?|^ {0,3}\[[^[\]\n]+\]:[ \t]*<?/gm;

/** An address as Markdown reads it: character references and backslash escapes are decoded. */
function read(address: string): string {
  const [node] = parseFragment(address.replaceAll('<', '')).childNodes;
  const text = node && defaultTreeAdapter.isTextNode(node) ? node.value : '';
  return text.replaceAll('\\', '');
}

/** The addresses of Markdown links that run code when they are followed. */
export function markdownRanges(text: string): Range[] {
  const ranges: Range[] = [];
  for (const found of text.matchAll(beforeAddress)) {
    const start = found.index + found[0].length;
    const [address = ''] = /^[^\s)>]*/.exec(text.slice(start)) ?? [];
    const isPicture = found.groups?.['picture'] !== undefined;
    if (isActingAddress(read(address), isPicture)) ranges.push([start, start + address.length]);
  }
  return ranges;
}
