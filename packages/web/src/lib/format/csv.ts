import { csvLine, csvStart, type CsvValue } from '@tollgate/contract';

export type { CsvValue } from '@tollgate/contract';

/** Rows as CSV (RFC 4180), with the byte order mark that makes spreadsheets read UTF-8. */
export const toCsv = (rows: readonly (readonly CsvValue[])[]): string =>
  csvStart + rows.map(csvLine).join('');

/** Downloads a text, or the pieces of a long one, as a file. */
export function downloadText(name: string, text: string | readonly string[], type = 'text/plain'): void {
  const pieces = typeof text === 'string' ? [text] : [...text];
  downloadFile(name, new Blob(pieces, { type: `${type};charset=utf-8` }));
}

/** Downloads what the browser has of a file. */
export function downloadFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
