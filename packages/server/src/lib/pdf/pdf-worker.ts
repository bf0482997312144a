import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import PDFDocument from 'pdfkit';
import type { Paper, PaperColumn, PaperTable } from './pdf.ts';

/** Latin, Greek, Cyrillic, kana, and simplified and traditional Chinese. */
const font = new URL(
  '../../../../../node_modules/@embedpdf/fonts-sc/fonts/NotoSansHans-Regular.otf',
  import.meta.url,
);

/** Points. */
const margin = 48;
const footerSpace = 30;
const gap = 12;
const rowSpace = 4;
const sizes = { title: 18, heading: 12, text: 10, small: 8.5 };
const colours = { text: '#111111', quiet: '#666666', line: '#cccccc' };

type Doc = InstanceType<typeof PDFDocument>;

interface Cell {
  text: string;
  x: number;
  width: number;
  align: PaperColumn['align'];
}

/** Ends the page if there is no space for a height. True if it did. */
function makeSpace(doc: Doc, height: number): boolean {
  if (doc.y + height <= doc.page.height - margin - footerSpace) return false;
  doc.addPage();
  return true;
}

function cellsOf(doc: Doc, columns: readonly PaperColumn[], texts: readonly string[]): Cell[] {
  const whole = doc.page.width - 2 * margin - gap * (columns.length - 1);
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  let x = margin;
  return columns.map(({ share, align }, index) => {
    const cell = { text: texts[index] ?? '', x, width: (whole * share) / shares, align };
    x += cell.width + gap;
    return cell;
  });
}

const heightOf = (doc: Doc, cells: readonly Cell[]): number =>
  Math.max(...cells.map(({ text, width }) => doc.heightOfString(text === '' ? ' ' : text, { width }))) +
  2 * rowSpace;

/** Writes cells beside each other, over a line. The font has one weight: strong text has an outline. */
function writeCells(doc: Doc, cells: readonly Cell[], height: number, isStrong = false): void {
  const top = doc.y;
  doc.lineWidth(0.35).strokeColor(colours.text);
  for (const { text, x, width, align } of cells)
    if (text !== '') doc.text(text, x, top + rowSpace + 1, { width, align, fill: true, stroke: isStrong });
  const bottom = top + height;
  const right = doc.page.width - margin;
  doc.moveTo(margin, bottom).lineTo(right, bottom).lineWidth(0.5).strokeColor(colours.line).stroke();
  doc.x = margin;
  doc.y = bottom;
}

function writeHead(doc: Doc, columns: readonly PaperColumn[]): void {
  doc.fontSize(sizes.small).fillColor(colours.quiet);
  const titles = columns.map(({ title }) => title);
  const cells = cellsOf(doc, columns, titles);
  writeCells(doc, cells, heightOf(doc, cells));
  doc.fontSize(sizes.text).fillColor(colours.text);
}

function writeTable(doc: Doc, { title, hint, columns, rows }: PaperTable): void {
  doc.y += 18;
  makeSpace(doc, 80);
  if (title !== '') doc.fontSize(sizes.heading).fillColor(colours.text).text(title, margin, doc.y);
  if (hint !== undefined)
    doc
      .fontSize(sizes.small)
      .fillColor(colours.quiet)
      .text(hint, margin, doc.y + 2);
  writeHead(doc, columns);
  for (const { cells: texts, strong } of rows) {
    const cells = cellsOf(doc, columns, texts);
    const height = heightOf(doc, cells);
    if (makeSpace(doc, height)) writeHead(doc, columns);
    writeCells(doc, cells, height, strong);
  }
}

/** Writes the footers last, when the number of pages is known. */
function writeFooters(doc: Doc, footer: string): void {
  const { count } = doc.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    doc.switchToPage(page);
    // Text below the margin would begin another page.
    doc.page.margins.bottom = 0;
    const text = footer.replace('{page}', String(page + 1)).replace('{pages}', String(count));
    doc.fontSize(sizes.small).fillColor(colours.quiet);
    doc.text(text, margin, doc.page.height - margin, {
      width: doc.page.width - 2 * margin,
      align: 'right',
      lineBreak: false,
    });
  }
}

async function draw({ locale, title, lines, tables, footer, at }: Paper): Promise<Uint8Array> {
  const doc = new PDFDocument({
    size: 'A4',
    margin,
    font: fileURLToPath(font),
    bufferPages: true,
    lang: locale,
    displayTitle: true,
    info: { Title: title, CreationDate: new Date(at * 1_000) },
  });
  const pieces: Uint8Array[] = [];
  doc.on('data', (piece: Uint8Array) => pieces.push(piece));
  doc.fontSize(sizes.title).fillColor(colours.text).text(title);
  doc.fontSize(sizes.text).fillColor(colours.quiet);
  for (const line of lines) doc.text(line, margin, doc.y + 2);
  for (const table of tables) writeTable(doc, table);
  writeFooters(doc, footer);
  doc.end();
  await once(doc, 'end');
  return new Uint8Array(Buffer.concat(pieces));
}

const file = await draw(workerData as Paper);
parentPort?.postMessage(file);
