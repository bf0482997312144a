import { Stack } from '@mantine/core';
import { moneyDigits, type RehearsalOutcome } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { type Say, useLanguage, useSay } from '../../lib/i18n.ts';
import { Figure, Figures } from '../../ui/figure.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Money, MoneySum } from '../money/money.tsx';
import { AmountTable, type Column, Difference, percentOf } from './amount-table.tsx';
import { reasons, text } from './text.ts';

type Sums = RehearsalOutcome['total'];

/** A key and whose it is; what is asked in the playground goes through none. */
const keyOf = (say: Say, { id, name, user_name: owner }: RehearsalOutcome['keys'][number]): string =>
  `${id === 0 ? say(text.playground) : name || say(text.goneKey, { id })} · ${owner}`;

/** What a rehearsal came to: in all, by what changes most, and who would run dry. */
export function Outcome({ outcome }: { outcome: RehearsalOutcome }) {
  const say = useSay();
  const { models, users, keys, changed } = outcome;
  return (
    <Stack gap="lg">
      <Totals outcome={outcome} />
      {models.length === 0 && <Notice>{say(text.unchanged)}</Notice>}
      <Changes title={say(text.models)} rows={models} count={changed.models} />
      <Dry outcome={outcome} />
      <Changes title={say(text.users)} rows={users} count={changed.users} />
      <Changes
        title={say(text.keys)}
        rows={keys.map((key) => ({ ...key, name: keyOf(say, key) }))}
        count={changed.keys}
      />
      <Apart outcome={outcome} />
    </Stack>
  );
}

function Totals({ outcome: { total, costed } }: { outcome: RehearsalOutcome }) {
  const say = useSay();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const callsIn = ({ rows }: { rows: number }) => say(text.rows, { count: formatNumber(rows, language) });
  const margins = [costed.after - costed.cost, costed.before - costed.cost] as const;
  const digits = moneyDigits([total.before, total.after, ...margins], perUnit);
  return (
    <Figures>
      <Figure
        label={say(text.before)}
        value={<Money quota={total.before} digits={digits} />}
        note={callsIn(total)}
      />
      <Figure label={say(text.after)} value={<Money quota={total.after} digits={digits} />} />
      <Figure
        label={say(text.change)}
        value={<Difference {...total} digits={digits} />}
        note={percentOf(total) || undefined}
      />
      {costed.rows > 0 && (
        <Figure
          label={say(text.margin)}
          value={<Money quota={margins[0]} digits={digits} />}
          note={
            <>
              {say(text.was)} <Money quota={margins[1]} digits={digits} />
              {costed.rows < total.rows &&
                ` · ${say(text.costed, { count: formatNumber(costed.rows, language) })}`}
            </>
          }
        />
      )}
    </Figures>
  );
}

function Changes({
  title,
  rows,
  count,
}: {
  title: string;
  rows: (Sums & { name: string })[];
  count: number;
}) {
  const say = useSay();
  const { perUnit } = useQuotaDisplay();
  if (rows.length === 0) return null;
  const digits = moneyDigits(
    rows.flatMap(({ before, after }) => [before, after]),
    perUnit,
  );
  const columns: Column<Sums & { name: string }>[] = [
    { head: say(text.name), cell: (row) => row.name },
    { head: say(text.before), cell: (row) => <Money quota={row.before} digits={digits} />, isNumber: true },
    { head: say(text.after), cell: (row) => <Money quota={row.after} digits={digits} />, isNumber: true },
    { head: say(text.change), cell: (row) => <Difference {...row} digits={digits} />, isNumber: true },
    { head: '%', cell: percentOf, isNumber: true },
  ];
  const hint = count > rows.length ? say(text.more, { count }) : undefined;
  return <AmountTable title={title} hint={hint} columns={columns} rows={rows} />;
}

function Dry({ outcome: { dry, dry_count: count } }: { outcome: RehearsalOutcome }) {
  const say = useSay();
  const { perUnit } = useQuotaDisplay();
  if (dry.length === 0) return null;
  const digits = moneyDigits(
    dry.map(({ before, after }) => after - before),
    perUnit,
  );
  type Row = RehearsalOutcome['dry'][number];
  const columns: Column<Row>[] = [
    {
      head: say(text.name),
      cell: ({ name, kind }) => (
        <>
          {name} {kind === 'team' && <Tag>{say(text.team)}</Tag>}
        </>
      ),
    },
    {
      head: say(text.balance),
      cell: ({ balance }) => <Money quota={balance} />,
      isNumber: true,
    },
    { head: say(text.change), cell: (row) => <Difference {...row} digits={digits} />, isNumber: true },
    {
      head: say(text.lasts),
      cell: ({ below_zero: below, days_left: days }) =>
        below ? <Tag tone="bad">{say(text.belowZero)}</Tag> : say(text.inDays, { days: days ?? 0 }),
      isNumber: true,
    },
  ];
  const hint = count > dry.length ? `${say(text.dryHint)} ${say(text.more, { count })}` : say(text.dryHint);
  return <AmountTable title={say(text.dry)} hint={hint} columns={columns} rows={dry} />;
}

function Apart({ outcome: { apart } }: { outcome: RehearsalOutcome }) {
  const say = useSay();
  const language = useLanguage();
  if (apart.length === 0) return null;
  type Row = RehearsalOutcome['apart'][number];
  const columns: Column<Row>[] = [
    { head: say(text.name), cell: ({ reason }) => say(reasons[reason]) },
    { head: say(text.calls), cell: ({ rows }) => formatNumber(rows, language), isNumber: true },
    { head: say(text.before), cell: ({ quota }) => <MoneySum quota={quota} />, isNumber: true },
  ];
  return <AmountTable title={say(text.apart)} hint={say(text.apartHint)} columns={columns} rows={apart} />;
}
