import { htmlRanges, type Range } from './ranges.ts';
import { defaultTreeAdapter, parseFragment } from 'parse5';
import { isActingAddress } from './dangers.ts';

/** The text before the address of a link, an image, or a link definition. */
const beforeAddress = /(?<picture>!\[[^[\]\n]*)?\]\(\s*<?|^ {0,3}\[[^[\]\n]+\]:[ \t]*<?/gm;

/** An address as Markdown reads it: character references and backslash escapes are decoded. */
function read(address: string): string {
  const [node] = parseFragment(address.replaceAll('<', '')).childNodes;
  const text = node && defaultTreeAdapter.isTextNode(node) ? node.value : '';
  return text.replaceAll('\\', '');
}

/** The addresses of Markdown links that run code when they are followed. */
function markdownRanges(text: string): Range[] {
  const ranges: Range[] = [];
  for (const found of text.matchAll(beforeAddress)) {
    const start = found.index + found[0].length;
    const [address = ''] = /^[^\s)>]*/.exec(text.slice(start)) ?? [];
    const isPicture = found.groups?.['picture'] !== undefined;
    if (isActingAddress(read(address), isPicture)) ranges.push([start, start + address.length]);
  }
  return ranges;
}

/** Deeper nesting of tags inside of tags is never accidental. */
const maxRounds = 20;

/**
 * Markdown or HTML without active parts: scripts, styles, plug-ins, page-wide tags, event handlers, and addresses
 * that are programs. Everything else stays unchanged, byte for byte. Cleaning the result again changes nothing.
 *
 * Removing a part may join the text around it (`<scr<script></script>ipt>`), so it is repeated until there is nothing
 * to remove. A text that needs too many rounds is an attack: the start of every tag and every link is removed.
 */
export function cleanMarkup(source: string): string {
  let text = source;
  for (let round = 0; round < maxRounds; round += 1) {
    const ranges = [...blocks(text).flatMap(rangesIn), ...markdownRanges(text)];
    if (ranges.length === 0) return text;
    text = cut(text, ranges);
  }
  return text.replaceAll(']', '').replace(/<+(?=[a-z/!?])/gi, '');
}

/** A part of the text and its start. */
interface Block {
  text: string;
  offset: number;
}

/** The whole text, as HTML parses it, and the parts between blank lines, as Markdown does. */
function blocks(text: string): Block[] {
  const all: Block[] = [{ text, offset: 0 }];
  let offset = 0;
  for (const part of text.split(/(\n[ \t\r]*\n)/)) {
    if (part.includes('<') && part.length < text.length) all.push({ text: part, offset });
    offset += part.length;
  }
  return all;
}

const rangesIn = ({ text, offset }: Block): Range[] =>
  htmlRanges(text).map(([start, end]) => [start + offset, end + offset]);

/** The text without the ranges, which may overlap. */
function cut(text: string, ranges: readonly Range[]): string {
  let kept = '';
  let at = 0;
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (start > at) kept += text.slice(at, start);
    at = Math.max(at, end);
  }
  return kept + text.slice(at);
}
