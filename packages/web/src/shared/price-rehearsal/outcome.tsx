import { Stack } from '@mantine/core';
import { moneyDigits, type RehearsalOutcome } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { type Translate, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Figure, Figures } from '../../ui/figure.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Money, MoneySum } from '../money/money.tsx';
import { AmountTable, type Column, Difference, percentOf } from './amount-table.tsx';
import { reasons, text } from './text.ts';

type Sums = RehearsalOutcome['total'];

/** A key and its owner; playground calls have no key. */
const keyOf = (t: Translate, { id, name, user_name: owner }: RehearsalOutcome['keys'][number]): string =>
  `${id === 0 ? t(text.playground) : name || t(text.goneKey, { id })} · ${owner}`;

/** Result of a rehearsal: totals, largest changes, and users without enough balance. */
export function Outcome({ outcome }: { outcome: RehearsalOutcome }) {
  const t = useTranslate();
  const { models, users, keys, changed } = outcome;
  return (
    <Stack gap="lg">
      <Totals outcome={outcome} />
      {models.length === 0 && <Notice>{t(text.unchanged)}</Notice>}
      <Changes title={t(text.models)} rows={models} count={changed.models} />
      <Dry outcome={outcome} />
      <Changes title={t(text.users)} rows={users} count={changed.users} />
      <Changes
        title={t(text.keys)}
        rows={keys.map((key) => ({ ...key, name: keyOf(t, key) }))}
        count={changed.keys}
      />
      <Apart outcome={outcome} />
    </Stack>
  );
}

function Totals({ outcome: { total, costed } }: { outcome: RehearsalOutcome }) {
  const t = useTranslate();
  const language = useLanguage();
  const { perUnit } = useQuotaDisplay();
  const callsIn = ({ rows }: { rows: number }) => t(text.rows, { count: formatNumber(rows, language) });
  const margins = [costed.after - costed.cost, costed.before - costed.cost] as const;
  const digits = moneyDigits([total.before, total.after, ...margins], perUnit);
  return (
    <Figures>
      <Figure
        label={t(text.before)}
        value={<Money quota={total.before} digits={digits} />}
        note={callsIn(total)}
      />
      <Figure label={t(text.after)} value={<Money quota={total.after} digits={digits} />} />
      <Figure
        label={t(text.change)}
        value={<Difference {...total} digits={digits} />}
        note={percentOf(total) || undefined}
      />
      {costed.rows > 0 && (
        <Figure
          label={t(text.margin)}
          value={<Money quota={margins[0]} digits={digits} />}
          note={
            <>
              {t(text.was)} <Money quota={margins[1]} digits={digits} />
              {costed.rows < total.rows &&
                ` · ${t(text.costed, { count: formatNumber(costed.rows, language) })}`}
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
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  if (rows.length === 0) return null;
  const digits = moneyDigits(
    rows.flatMap(({ before, after }) => [before, after]),
    perUnit,
  );
  const columns: Column<Sums & { name: string }>[] = [
    { head: t(text.name), cell: (row) => row.name },
    { head: t(text.before), cell: (row) => <Money quota={row.before} digits={digits} />, isNumber: true },
    { head: t(text.after), cell: (row) => <Money quota={row.after} digits={digits} />, isNumber: true },
    { head: t(text.change), cell: (row) => <Difference {...row} digits={digits} />, isNumber: true },
    { head: '%', cell: percentOf, isNumber: true },
  ];
  const hint = count > rows.length ? t(text.more, { count }) : undefined;
  return <AmountTable title={title} hint={hint} columns={columns} rows={rows} />;
}

function Dry({ outcome: { dry, dry_count: count } }: { outcome: RehearsalOutcome }) {
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  if (dry.length === 0) return null;
  const digits = moneyDigits(
    dry.map(({ before, after }) => after - before),
    perUnit,
  );
  type Row = RehearsalOutcome['dry'][number];
  const columns: Column<Row>[] = [
    {
      head: t(text.name),
      cell: ({ name, kind }) => (
        <>
          {name} {kind === 'team' && <Tag>{t(text.team)}</Tag>}
        </>
      ),
    },
    {
      head: t(text.balance),
      cell: ({ balance }) => <Money quota={balance} />,
      isNumber: true,
    },
    { head: t(text.change), cell: (row) => <Difference {...row} digits={digits} />, isNumber: true },
    {
      head: t(text.lasts),
      cell: ({ below_zero: below, days_left: days }) =>
        below ? <Tag tone="bad">{t(text.belowZero)}</Tag> : t(text.inDays, { days: days ?? 0 }),
      isNumber: true,
    },
  ];
  const hint = count > dry.length ? `${t(text.dryHint)} ${t(text.more, { count })}` : t(text.dryHint);
  return <AmountTable title={t(text.dry)} hint={hint} columns={columns} rows={dry} />;
}

function Apart({ outcome: { apart } }: { outcome: RehearsalOutcome }) {
  const t = useTranslate();
  const language = useLanguage();
  if (apart.length === 0) return null;
  type Row = RehearsalOutcome['apart'][number];
  const columns: Column<Row>[] = [
    { head: t(text.name), cell: ({ reason }) => t(reasons[reason]) },
    { head: t(text.calls), cell: ({ rows }) => formatNumber(rows, language), isNumber: true },
    { head: t(text.before), cell: ({ quota }) => <MoneySum quota={quota} />, isNumber: true },
  ];
  return <AmountTable title={t(text.apart)} hint={t(text.apartHint)} columns={columns} rows={apart} />;
}
