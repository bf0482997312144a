import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';

/** A column of a table. */
export interface PaperColumn {
  title: string;
  /** Its share of the width, relative to the other columns. */
  share: number;
  align: 'left' | 'right';
}

/** A row: a cell per column. Balances and totals are emphasized. */
interface PaperRow {
  cells: readonly string[];
  strong?: boolean;
}

export interface PaperTable {
  /** '' for none. */
  title: string;
  hint?: string;
  columns: readonly PaperColumn[];
  rows: readonly PaperRow[];
}

/** A printable document on A4. */
export interface Paper {
  /** Of its texts, as in `zh-CN`. */
  locale: string;
  title: string;
  /** Lines below the title. */
  lines: readonly string[];
  tables: readonly PaperTable[];
  /** Text at the end of a page, with the slots `{page}` and `{pages}`. */
  footer: string;
  /** Unix seconds of its making. */
  at: number;
}

/** Documents that wait; each takes about half a second. */
const maxWaiting = 20;
const limit = pLimit(1);

/**
 * Writes a document as PDF with the glyphs that it uses; undefined if too many are waiting. Each document has a thread of its
 * own: the library and the font take 50 MB, which end with it, and no call waits for the drawing. Rejects when the thread dies.
 */
export async function writePdf(paper: Paper): Promise<Buffer | undefined> {
  if (limit.pendingCount >= maxWaiting) return undefined;
  return limit(() => draw(paper));
}

const draw = (paper: Paper): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { workerData: paper });
    worker.once('message', (file: Uint8Array) => resolve(Buffer.from(file)));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread that draws a document ended without it')));
  });
