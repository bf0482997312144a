import { Skeleton } from '@mantine/core';
import { moneyDigits } from '@tollgate/contract';
import { Trophy } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { Money } from '../../../shared/money/money.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import classes from '../base/dashboard.module.css';
import { LogLink, type LogRows } from '../base/log-link.tsx';
import { text } from '../base/text.ts';

interface RankEntry {
  key: string;
  name: ReactNode;
  /** A note after the name. */
  note?: ReactNode;
  quota: number;
  /** As text: 12 calls. */
  calls: string;
  rows: LogRows;
}

interface RankListProps {
  /** In order; undefined while loading. */
  entries: readonly RankEntry[] | undefined;
  /** The total of adjacent lists: they share its decimals. */
  total: number;
}

/** The largest payers, with bars relative to the first. */
export function RankList({ entries, total }: RankListProps) {
  const t = useTranslate();
  const { perUnit } = useQuotaDisplay();
  if (!entries) return <Skeleton height={180} />;
  if (entries.length === 0) return <EmptyState icon={<Trophy size={20} />} title={t(text.noRows)} />;
  const digits = moneyDigits([total], perUnit);
  const most = Math.max(1, ...entries.map(({ quota }) => quota));
  return (
    <ol className={classes.ranks}>
      {entries.map(({ key, name, note, quota, calls, rows }) => (
        <li key={key}>
          <LogLink rows={rows} className={classes.rank}>
            <span
              className={classes.rankFill}
              style={{ width: `${(quota / most) * 100}%` }}
              aria-hidden="true"
            />
            <span className={classes.rankName}>
              {name}
              {note !== undefined && <span className={classes.rankNote}>{note}</span>}
            </span>
            <span className={classes.rankCalls}>{calls}</span>
            <span className={classes.rankCost}>
              <Money quota={quota} digits={digits} />
            </span>
          </LogLink>
        </li>
      ))}
    </ol>
  );
}
