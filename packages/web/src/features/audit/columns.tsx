import type { AuditData } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { useTranslate, type Text } from '../../lib/i18n.ts';
import { fieldLabel, valueLabel } from '../../shared/audit/field-labels.ts';
import { KindTag } from '../../shared/audit/kind-tag.tsx';
import type { Column } from '../../shared/data-table/types.ts';
import { Time } from '../../shared/date-time/time.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { TextButton } from '../../ui/text-button.tsx';
import classes from './audit.module.css';
import { auditSearch } from './search.ts';
import { text } from './text.ts';

export const auditColumns: readonly Column<AuditData>[] = [
  {
    id: 'time',
    title: text.time,
    role: 'title',
    fixed: true,
    width: '150px',
    render: (row) => <Time at={row.at} seconds />,
  },
  {
    id: 'kind',
    title: text.kind,
    card: 'line',
    render: (row) => <KindTag kind={row.kind} outcome={row.outcome} />,
  },
  { id: 'actor', title: text.actor, card: 'line', render: (row) => <Actor row={row} /> },
  { id: 'target', title: text.target, card: 'line', render: (row) => <Target row={row} /> },
  { id: 'summary', title: text.summary, fills: true, render: (row) => <Summary row={row} /> },
  {
    id: 'address',
    title: text.address,
    roomy: true,
    render: (row) => <span className="tabular">{row.ip}</span>,
  },
];

interface CellProps {
  row: AuditData;
}

/** The actor; a click filters by them. */
function Actor({ row }: CellProps) {
  const t = useTranslate();
  const [, setSearch] = useUrlState(auditSearch);
  if (row.actor_name === '') return <span className={classes.quiet}>{t(text.guest)}</span>;
  return (
    <TextButton className={classes.name} onClick={() => setSearch({ actor: row.actor_name })}>
      {row.actor_name}
    </TextButton>
  );
}

const types: Readonly<Record<string, Text>> = {
  user: text.user,
  token: text.token,
  channel: text.channel,
  redemption: text.redemption,
  setting: text.setting,
  provider: text.provider,
  session: text.session,
  log: text.log,
  report: text.report,
  rerating: text.rerating,
  team: text.team,
};

/** The target; a click filters by it. */
function Target({ row }: CellProps) {
  const t = useTranslate();
  const [, setSearch] = useUrlState(auditSearch);
  const { target_type: type, target_id: id, target_name: name } = row;
  if (type === '') return null;
  const known = types[type];
  const label = `${known ? t(known) : type} ${name || id}`;
  if (id === '') return <span>{label}</span>;
  return (
    <TextButton className={classes.name} onClick={() => setSearch({ target: name || id })}>
      {label}
    </TextButton>
  );
}

/** The first changes, cut to one line. */
function Summary({ row }: CellProps) {
  const t = useTranslate();
  const display = useQuotaDisplay();
  const meant = { target: row.target_type, t, display };
  const changed = Object.entries(row.changes).map(
    ([name, { after }]) => `${fieldLabel(name, t)} → ${valueLabel([name, after], meant) || '∅'}`,
  );
  const noted = Object.entries(row.note).map(
    (each) => `${fieldLabel(each[0], t)} ${valueLabel(each, meant)}`,
  );
  const words = [...changed, ...noted].join(', ');
  if (words === '') return null;
  return (
    <span className={classes.summary} title={words.slice(0, 500)}>
      {words.slice(0, 200)}
    </span>
  );
}
