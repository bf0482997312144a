import { inflateSync } from 'node:zlib';

/** Streams of a PDF in the order of the file, decompressed where they are compressed. */
function* streamsOf(file: Buffer): Generator<string> {
  const text = file.toString('latin1');
  for (const { index, 0: head, 1: length } of text.matchAll(/\/Length (\d+)[^]{0,80}?>>\s+stream\r?\n/g)) {
    const start = index + head.length;
    const content = file.subarray(start, start + Number(length));
    yield (head.includes('/FlateDecode') ? inflateSync(content) : content).toString('latin1');
  }
}

/** Characters by glyph, from a font's table. */
function glyphsOf(table: string): Map<number, string> {
  const glyphs = new Map<number, string>();
  for (const [, from = '', list = ''] of table.matchAll(/<(\w{4})> <\w{4}> \[([^\]]*)\]/g))
    for (const [index, hex] of Array.from(list.matchAll(/<(\w*)>/g), ([, all]) => all!).entries())
      glyphs.set(Number.parseInt(from, 16) + index, Buffer.from(hex, 'hex').swap16().toString('utf16le'));
  return glyphs;
}

/** The text of each page of a PDF that `writePdf` has made: lines of cells from left to right. */
export function readPdfLines(file: Buffer): string[][][] {
  const streams = [...streamsOf(file)];
  const glyphs = glyphsOf(streams.find((each) => each.includes('begincmap')) ?? '');
  const decode = (shown: string): string =>
    Array.from(shown.matchAll(/<(\w+)>/g), ([, hex]) => hex!)
      .flatMap((hex) => hex.match(/.{4}/g) ?? [])
      .map((glyph) => glyphs.get(Number.parseInt(glyph, 16)) ?? '\uFFFD')
      .join('');
  return streams
    .filter((each) => each.includes('\nBT\n'))
    .map((page) => {
      const lines = new Map<string, { x: number; text: string }[]>();
      for (const [, x, y = '', shown = ''] of page.matchAll(/1 0 0 1 (\S+) (\S+) Tm[^]*?(\[[^\]]*\]) TJ/g))
        lines.set(y, [...(lines.get(y) ?? []), { x: Number(x), text: decode(shown) }]);
      return [...lines.values()].map((cells) =>
        cells.toSorted((a, b) => a.x - b.x).map(({ text }) => text.trim()),
      );
    });
}
