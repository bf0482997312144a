/** Possible values of a cell. */
export type CsvValue = string | number | boolean;

/**
 * Spreadsheets run cells with such a beginning as formulas, some also after blanks or in full width; a leading quote
 * keeps them text. A negative decimal is a number to all of them.
 */
const formulaStart = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;
const decimal = /^-\d+(\.\d+)?$/;

function cell(value: CsvValue): string {
  const isFormula = typeof value === 'string' && formulaStart.test(value) && !decimal.test(value);
  const text = isFormula ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The byte order mark that makes spreadsheets read UTF-8. */
export const csvStart = '\uFEFF';

/** One line of CSV (RFC 4180). */
export const csvLine = (row: readonly CsvValue[]): string => `${row.map(cell).join(',')}\r\n`;
