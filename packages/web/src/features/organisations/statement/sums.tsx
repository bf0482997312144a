import { moneyDigits, type TeamStatement } from '@tollgate/contract';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { Money } from '../../../shared/money/money.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/organisations.module.css';
import { useKindLabel } from './columns.tsx';
import { statementText as text } from './text.ts';

interface SumRow {
  key: string | number;
  name: string;
  amount: number;
  count: string;
}

/** Sums of the month by kind of entry and by member. */
export function Sums({ statement }: { statement: TeamStatement }) {
  const t = useTranslate();
  const language = useLanguage();
  const kindLabel = useKindLabel();
  const number = (count: number) => formatNumber(count, language);
  const used = Math.abs(statement.members.reduce((sum, { amount }) => sum + amount, 0));
  return (
    <div className={classes.pair}>
      <Panel title={t(text.sums)}>
        <SumList
          empty={t(text.noSums)}
          rows={statement.sums.map(({ kind, amount, count }) => ({
            key: kind,
            name: kindLabel(kind),
            amount,
            count: t(text.count, { count: number(count) }),
          }))}
        />
      </Panel>
      <Panel title={t(text.byMember)}>
        <SumList
          empty={t(text.noUse)}
          whole={used}
          rows={statement.members.map(({ user_id: key, username: name, amount, count }) => ({
            key,
            name,
            amount: Math.abs(amount),
            count: t(text.calls, { count: number(count) }),
          }))}
        />
      </Panel>
    </div>
  );
}

interface SumListProps {
  rows: readonly SumRow[];
  /** Shown when there are no rows. */
  empty: string;
  /** The total of all rows; with it each row shows its share. */
  whole?: number;
}

/** Names with their sums, the largest first, each over a bar of its share. */
function SumList({ rows, empty, whole = 0 }: SumListProps) {
  const { perUnit } = useQuotaDisplay();
  const digits = moneyDigits(
    rows.map(({ amount }) => amount),
    perUnit,
  );
  if (rows.length === 0) return <p className={classes.quiet}>{empty}</p>;
  return (
    <dl className={classes.sums}>
      {rows
        .toSorted((a, b) => Math.abs(b.amount) - Math.abs(a.amount))
        .map(({ key, name, amount, count }) => (
          <div key={key} className={classes.sum}>
            <dt title={name}>
              {name}
              {whole > 0 && (
                <span className={classes.bar} aria-hidden="true">
                  <span style={{ width: `${(amount / whole) * 100}%` }} />
                </span>
              )}
            </dt>
            <dd>
              <Money quota={amount} digits={digits} />
            </dd>
            <dd className="tabular">{count}</dd>
          </div>
        ))}
    </dl>
  );
}
