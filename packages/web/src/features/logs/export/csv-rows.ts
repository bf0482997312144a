import { isChannelTest, logType, type LogData } from '@tollgate/contract';
import type { CsvValue } from '../../../lib/format/csv.ts';
import { formatDateTime, isoTime } from '../../../lib/format/date-format.ts';
import type { Translate } from '../../../lib/i18n.ts';
import type { Language } from '../../../lib/language.ts';
import { errorLabel } from '../../../shared/wire-words/error-labels.ts';
import { wireWords } from '../../../shared/wire-words/wire-words.ts';
import { csvText as text } from './csv-text.ts';
import { failureOf } from '../base/failure.ts';
import { readOther } from '../base/other.ts';
import { tagsOf } from '../base/tag-links.tsx';
import { teamOf } from '../base/team-of.ts';
import { costOf, typeOf } from '../base/types.ts';

/** Export formats: for people, in their language and in dollars; for programs, with wire values. */
export type TableKind = 'people' | 'raw';

type Field = readonly [name: string, value: (row: LogData) => CsvValue];

/** The columns have the field names of the wire, so that programs read the file in either language. */
const rawFields: readonly Field[] = [
  ['time', (row) => formatDateTime(row.created_at)],
  ['type', (row) => row.type],
  ['username', (row) => row.username],
  ['token_name', (row) => row.token_name],
  ['group', (row) => row.group],
  ['channel', (row) => row.channel],
  ['model_name', (row) => row.model_name],
  ['is_stream', (row) => row.is_stream],
  ['use_time', (row) => row.use_time],
  ['prompt_tokens', (row) => row.prompt_tokens],
  ['completion_tokens', (row) => row.completion_tokens],
  ['quota', (row) => row.quota],
  ['team_id', (row) => row.team_id],
  ['tags', (row) => row.tags],
  ['request_id', (row) => row.request_id],
  ['content', (row) => row.content],
];

/** Settings of the reader for an export for people. */
export interface CsvReader {
  t: Translate;
  language: Language;
  /** Quota units per dollar. */
  perUnit: number;
  /** Administrators also see users and channels. */
  isAdmin: boolean;
}

/**
 * Dollars with six decimals: exact, and a number in every spreadsheet. Refunds are negative; channel tests have no
 * charge.
 */
const dollarsOf = (row: LogData, perUnit: number) =>
  (isChannelTest(row) ? 0 : costOf(row) / perUnit).toFixed(6);

function peopleFields({ t, language, perUnit, isAdmin }: CsvReader): readonly Field[] {
  const nameOf = (row: LogData) => {
    const known = typeOf(row);
    return known ? t(known.word) : String(row.type);
  };
  const admin: readonly Field[] = [
    [t(text.user), (row) => row.username],
    [t(text.channel), (row) => row.channel_name || (row.channel === 0 ? '' : `#${row.channel}`)],
  ];
  return [
    [t(text.time), (row) => isoTime(row.created_at)],
    [t(text.type), nameOf],
    ...(isAdmin ? admin : []),
    [t(text.token), (row) => wireWords(row.token_name, language)],
    [t(text.group), (row) => row.group],
    [t(text.model), (row) => row.model_name],
    [t(text.stream), (row) => t(row.is_stream ? text.yes : text.no)],
    [t(text.seconds), (row) => (readOther(row.other).totalMs ?? row.use_time * 1000) / 1000],
    [t(text.input), (row) => row.prompt_tokens],
    [t(text.output), (row) => row.completion_tokens],
    [t(text.cost), (row) => dollarsOf(row, perUnit)],
    [t(text.payer), (row) => payerOf(row, t)],
    [t(text.error), (row) => (row.type === logType.error ? errorOf(row, language) : '')],
    [t(text.details), (row) => wireWords(row.content, language)],
    [t(text.tags), (row) => tagsOf(row).join(', ')],
    [t(text.requestId), (row) => row.request_id],
  ];
}

/** The payer of a charged call; empty for other rows. */
function payerOf(row: LogData, t: Translate): string {
  if (row.type !== logType.consume || isChannelTest(row)) return '';
  return row.team_id === 0 ? t(text.payerUser) : t(text.payerTeam, { name: teamOf(row) });
}

function errorOf(row: LogData, language: Language): string {
  const { status, code } = failureOf(row);
  return [status || '', errorLabel(code, language)].filter(Boolean).join(' ');
}

/** The lines of an export, header first. */
export function csvRows(rows: readonly LogData[], kind: TableKind, reader: CsvReader): CsvValue[][] {
  const fields = kind === 'raw' ? rawFields : peopleFields(reader);
  return [fields.map(([name]) => name), ...rows.map((row) => fields.map(([, value]) => value(row)))];
}
