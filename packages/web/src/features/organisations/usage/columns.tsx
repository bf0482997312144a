import { logType, type LogData, type TeamData } from '@tollgate/contract';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import type { Column } from '../../../shared/data-table/types.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { Money } from '../../../shared/money/money.tsx';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { Tag } from '../../../ui/tag.tsx';
import classes from '../base/organisations.module.css';
import { teamActions } from '../base/permissions.ts';
import { usageText as text } from './text.ts';

const isCall = (row: LogData) => row.type === logType.consume || row.type === logType.error;

const member: Column<LogData> = {
  id: 'member',
  title: text.member,
  card: 'line',
  render: (row) => row.username,
};

/** Managers see the rows of all members, so each row names its member. */
export const usageColumns = (team: TeamData): readonly Column<LogData>[] => [
  {
    id: 'time',
    title: text.time,
    role: 'title',
    fixed: true,
    render: (row) => <Time at={row.created_at} seconds />,
  },
  ...(teamActions(team).has('seeAll') ? [member] : []),
  { id: 'model', title: text.model, card: 'line', render: (row) => row.model_name },
  { id: 'cost', title: text.cost, align: 'end', card: 'corner', render: (row) => <Cost row={row} /> },
  {
    id: 'input',
    title: text.input,
    align: 'end',
    render: (row) => <Tokens row={row} count={row.prompt_tokens} />,
  },
  {
    id: 'output',
    title: text.output,
    align: 'end',
    render: (row) => <Tokens row={row} count={row.completion_tokens} />,
  },
  { id: 'key', title: text.key, render: (row) => row.token_name },
  { id: 'details', title: text.details, roomy: true, render: (row) => <Details row={row} /> },
  {
    id: 'request',
    title: text.requestId,
    hidden: true,
    render: (row) => <InlineCode>{row.request_id}</InlineCode>,
  },
];

/** The charge; empty for a call that failed before any usage. */
const Cost = ({ row }: { row: LogData }) =>
  row.quota === 0 && row.type !== logType.consume ? null : <Money quota={row.quota} digits={6} />;

function Tokens({ row, count }: { row: LogData; count: number }) {
  const language = useLanguage();
  return isCall(row) && !(row.type === logType.error && count === 0) ? formatNumber(count, language) : null;
}

/** Error of a failed call, or kind of a wallet entry. */
function Details({ row }: { row: LogData }) {
  const t = useTranslate();
  const wireWords = useWireWords();
  if (row.type === logType.consume) return null;
  const words = wireWords(row.content);
  return (
    <span title={words} className="inline-row">
      {row.type === logType.error && <Tag tone="bad">{t(text.failed)}</Tag>}
      <span className={classes.words}>{words}</span>
    </span>
  );
}
