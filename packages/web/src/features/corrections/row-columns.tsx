import type { ReratingRowData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../lib/i18n.ts';
import type { Column } from '../../shared/data-table/types.ts';
import { Tag } from '../../ui/tag.tsx';
import { Amount } from './columns.tsx';
import classes from './corrections.module.css';
import { text } from './text.ts';

/** The columns of the charges of a correction; a column for undone amounts if there are any. */
export const rowColumns = (rows: readonly ReratingRowData[]): Column<ReratingRowData>[] => {
  const quotas = rows.flatMap(({ charge_before: before, charge_after: after }) => [before, after]);
  const amount = (quota: number) => <Amount quota={quota} quotas={quotas} />;
  return [
    { id: 'user', title: text.payer, role: 'title', fixed: true, render: (row) => <User row={row} /> },
    { id: 'model', title: text.model, card: 'line', render: (row) => row.model_name },
    { id: 'before', title: text.before, align: 'end', render: (row) => amount(row.charge_before) },
    { id: 'after', title: text.after, align: 'end', render: (row) => amount(row.charge_after) },
    {
      id: 'moved',
      title: text.moved,
      align: 'end',
      render: (row) => <Signed quota={row.difference} quotas={quotas} />,
    },
    ...(rows.some(({ state }) => state === 'reverted') ? [undoneColumn(quotas)] : []),
    {
      id: 'receipt',
      title: text.receipt,
      role: 'actions',
      fixed: true,
      render: (row) => <Receipt request={row.request_id} />,
    },
  ];
};

const undoneColumn = (quotas: readonly number[]): Column<ReratingRowData> => ({
  id: 'undone',
  title: text.undone,
  align: 'end',
  render: (row) => row.state === 'reverted' && <Signed quota={row.undone} quotas={quotas} />,
});

function User({ row: { user_id: id, username, team_id: team } }: { row: ReratingRowData }) {
  const t = useTranslate();
  return (
    <span className={classes.state}>
      <span className={username === '' ? classes.quiet : undefined}>
        {username || t(text.goneUser, { id })}
      </span>
      {team > 0 && <Tag>{t(text.team)}</Tag>}
    </span>
  );
}

interface SignedProps {
  quota: number;
  quotas: readonly number[];
}

function Signed({ quota, quotas }: SignedProps) {
  return (
    <span className="tabular">
      {quota > 0 && '+'}
      <Amount quota={quota} quotas={quotas} />
    </span>
  );
}

/** Link to the charge and its corrections in the log. */
function Receipt({ request }: { request: string }) {
  const t = useTranslate();
  if (request === '') return null;
  return (
    <Link to="/log" search={{ range: 'all', request }} className={classes.link}>
      {t(text.receipt)}
    </Link>
  );
}
