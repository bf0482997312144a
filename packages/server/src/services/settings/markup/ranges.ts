import { Parser, type Token } from 'parse5';
import { isActingAttribute, isActingTag, wholeElements } from './dangers.ts';

/** A part of a text: from the first offset up to the second, in UTF-16 units. */
export type Range = readonly [start: number, end: number];

/**
 * Collects what has to be cut from each tag as the browser's own algorithm reads it. Tags are seen as they are read, so
 * that those which the algorithm ignores in this place (`<body onload>` in a fragment) are seen too.
 */
function rangesOf(text: string, scriptingEnabled: boolean): Range[] {
  const ranges: Range[] = [];
  /** Where an element that goes as a whole began, by its name. */
  const open = new Map<string, number>();
  // The tree does not say where an ignored tag stood; the parser's own hooks do.
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

/** What has to be cut of a start tag: all of it, or some of its attributes. */
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

/** An attribute with the space before it, unless that would join its neighbours. */
function withSpace(text: string, [start, end]: Range): Range {
  const isApart = /^[\s/>]/.test(text.slice(end, end + 1));
  return isApart && /\s/.test(text.slice(start - 1, start)) ? [start - 1, end] : [start, end];
}

/**
 * The parts of HTML that act. A page is read with scripts on or off, which decides what stands in `<noscript>`; both
 * readings count.
 */
export const htmlRanges = (text: string): Range[] => [...rangesOf(text, true), ...rangesOf(text, false)];
