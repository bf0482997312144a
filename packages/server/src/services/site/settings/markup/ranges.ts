import { Parser, type Token } from 'parse5';
import { isActingAttribute, isActingTag, wholeElements } from './dangers.ts';

/** A part of a text: from the first offset up to the second, in UTF-16 units. */
export type Range = readonly [start: number, end: number];

/**
 * Collects what has to be removed from each tag, as the browser's own algorithm parses it. Tags are examined as they
 * are read, so that tags which the algorithm ignores in this place (`<body onload>` in a fragment) are included.
 */
function findRanges(text: string, scriptingEnabled: boolean): Range[] {
  const ranges: Range[] = [];
  /** The start of an element that is removed as a whole, by its name. */
  const open = new Map<string, number>();
  // The tree does not have the position of an ignored tag; the parser's hooks do.
  const parser = Parser.getFragmentParser(null, { sourceCodeLocationInfo: true, scriptingEnabled });
  const onStartTag = parser.onStartTag.bind(parser);
  const onEndTag = parser.onEndTag.bind(parser);
  parser.onStartTag = (tag) => {
    ranges.push(...rangesOfTag(text, tag));
    const { tagName: name, location } = tag;
    if (location && wholeElements.has(name) && !tag.selfClosing && !open.has(name)) {
      open.set(name, location.startOffset);
    }
    onStartTag(tag);
  };
  parser.onEndTag = (tag) => {
    const { tagName: name, location } = tag;
    if (location && isActingTag(name)) {
      ranges.push([open.get(name) ?? location.startOffset, location.endOffset]);
      open.delete(name);
    }
    onEndTag(tag);
  };
  parser.tokenizer.write(text, true);
  return ranges;
}

/** Part of a start tag to remove: all of it, or some of its attributes. */
function rangesOfTag(text: string, { tagName, attrs, location }: Token.TagToken): Range[] {
  if (!location) return [];
  if (isActingTag(tagName)) return [[location.startOffset, location.endOffset]];
  return attrs
    .filter((attribute) => isActingAttribute(tagName, attribute))
    .flatMap(({ name }) => {
      const at = location.attrs?.[name];
      return at ? [withSpace(text, [at.startOffset, at.endOffset])] : [];
    });
}

/** An attribute with the space before it, unless that would join the attributes around it. */
function withSpace(text: string, [start, end]: Range): Range {
  const isApart = /^[\s/>]/.test(text.slice(end, end + 1));
  return isApart && /\s/.test(text.slice(start - 1, start)) ? [start - 1, end] : [start, end];
}

/**
 * The active parts of HTML. A page may be parsed with scripts on or off, which decides how `<noscript>` is read; both
 * are checked.
 */
export const htmlRanges = (text: string): Range[] => [...findRanges(text, true), ...findRanges(text, false)];
