import { type MemberImportRow, teamRole } from '@tollgate/contract';
import type { Translate } from '../../../lib/i18n.ts';
import { importText as text } from './text.ts';

/** Columns of a file; the template has all of them. */
export const columns = [
  'username',
  'email',
  'display_name',
  'role',
  'weekly',
  'grant',
  'grant_until',
] as const;
type Column = (typeof columns)[number];

/** Writes what is wrong with a row or a file. */
type Problem = (t: Translate) => string;

/** A row of the file: what is sent, or what is wrong with it. */
export interface ReadRow {
  /** From 1, as editors count lines. */
  line: number;
  name: string;
  row?: MemberImportRow;
  problem?: Problem;
}

/** The cells of a CSV text by rows, with the line on which each row begins. Empty rows are left out. */
export function readCsv(body: string): { line: number; cells: string[] }[] {
  const source = body.replace(/^\uFEFF/, '');
  const head = source.split(/\r?\n/, 1)[0] ?? '';
  const delimiter = [';', '\t'].find((each) => head.includes(each) && !head.includes(',')) ?? ',';
  const rows: { line: number; cells: string[] }[] = [];
  let [cell, cells, line, start, quoted] = ['', [] as string[], 1, 1, false];
  const endRow = () => {
    cells.push(cell);
    if (cells.some((each) => each.trim() !== '')) rows.push({ line: start, cells });
    [cell, cells] = ['', []];
  };
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === '\n') line += 1;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') cell += source.charAt((at += 1));
      else quoted = false;
    } else if (character === '"' && cell.trim() === '') [cell, quoted] = ['', true];
    else if (character === delimiter) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') {
      endRow();
      start = line;
    } else if (character !== '\r') cell += character;
  }
  endRow();
  return rows;
}

/** Thrown for a file that cannot be read at all. */
export class FileProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super('unreadable file');
    this.problem = problem;
  }
}

class RowProblem extends FileProblem {}

const roles: Readonly<Record<string, number>> = {
  member: teamRole.member,
  manager: teamRole.manager,
  成员: teamRole.member,
  管理员: teamRole.manager,
};

function amountOf(value: string, column: Column, perUnit: number): number | undefined {
  if (value === '') return undefined;
  const dollars = /^\$?\d{1,9}(\.\d{1,6})?$/.test(value) ? Number(value.replace('$', '')) : Number.NaN;
  if (Number.isNaN(dollars)) throw new RowProblem((t) => t(text.amountWrong, { column }));
  return Math.round(dollars * perUnit);
}

/** Unix seconds of the end of a day, in the reader's time zone. */
function endOfDay(value: string): number {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined)
    throw new RowProblem((t) => t(text.dateWrong));
  const isDay = new Date(year, month - 1, day).getDate() === day;
  if (!isDay) throw new RowProblem((t) => t(text.dateWrong));
  return new Date(year, month - 1, day + 1).getTime() / 1_000;
}

function rowOf(fields: Readonly<Record<Column, string>>, perUnit: number): MemberImportRow {
  const role = fields.role === '' ? undefined : roles[fields.role.toLowerCase()];
  if (fields.role !== '' && role === undefined) throw new RowProblem((t) => t(text.roleWrong));
  const weekly = amountOf(fields.weekly, 'weekly', perUnit);
  const grant = amountOf(fields.grant, 'grant', perUnit);
  const until = grant === undefined ? 0 : endOfDay(fields.grant_until);
  const { username, email, display_name } = fields;
  return {
    username,
    email,
    display_name,
    ...(role !== undefined && { role }),
    ...(weekly !== undefined && { weekly }),
    ...(grant !== undefined && { grant }),
    grant_until: until,
  };
}

/**
 * The members of a CSV text with a head row; amounts are dollars. Throws FileProblem.
 *
 * @param perUnit - quota units of a dollar
 */
export function readMembers(body: string, perUnit: number, max: number): ReadRow[] {
  const [head, ...rows] = readCsv(body);
  if (!head || rows.length === 0) throw new FileProblem((t) => t(text.empty));
  if (rows.length > max) throw new FileProblem((t) => t(text.tooMany, { max }));
  const names = head.cells.map((each) => each.trim().toLowerCase());
  const unknown = names.find((name) => name !== '' && !columns.some((column) => column === name));
  if (unknown !== undefined) throw new FileProblem((t) => t(text.columnUnknown, { column: unknown }));
  if (!names.includes('username') && !names.includes('email'))
    throw new FileProblem((t) => t(text.columnMissing));
  return rows.map(({ line, cells }) => {
    const fields = Object.fromEntries(
      columns.map((column) => [column, (cells[names.indexOf(column)] ?? '').trim()]),
    ) as Record<Column, string>;
    const name = fields.username || fields.email;
    try {
      return { line, name, row: rowOf(fields, perUnit) };
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      return { line, name, problem: error.problem };
    }
  });
}
