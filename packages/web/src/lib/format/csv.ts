/** Possible values of a cell. */
export type CsvValue = string | number | boolean;

/**
 * Spreadsheets run cells with such a beginning as formulas, some also after blanks or in full width; a leading quote
 * keeps them text.
 */
const formulaStart = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;

function cell(value: CsvValue): string {
  const text = typeof value === 'string' && formulaStart.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as CSV (RFC 4180), with the byte order mark that makes spreadsheets read UTF-8. */
export const toCsv = (rows: readonly (readonly CsvValue[])[]): string =>
  `\uFEFF${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;

/** Downloads a text, or the pieces of a long one, as a file. */
export function downloadText(name: string, text: string | readonly string[], type = 'text/plain'): void {
  const pieces = typeof text === 'string' ? [text] : [...text];
  const url = URL.createObjectURL(new Blob(pieces, { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
