import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type LogTagSum, moneyDigits, product, writeTag } from '@tollgate/contract';
import { Tags } from 'lucide-react';
import { useMemo } from 'react';
import { useQuotaDisplay } from '../../../lib/api/status.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { DataTable } from '../../../shared/data-table/data-table.tsx';
import type { Column } from '../../../shared/data-table/types.ts';
import { Money } from '../../../shared/money/money.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from '../base/cells.module.css';
import { type LogFilter, tagSumsQuery } from '../base/queries.ts';
import { text } from '../base/text.ts';

interface TagSumsProps {
  isAdmin: boolean;
  filter: LogFilter;
  /** The name of the tag. */
  name: string;
}

/** Cost of the filtered calls, by the value of one of their tags. */
export function TagSums({ isAdmin, filter, name }: TagSumsProps) {
  const t = useTranslate();
  const language = useLanguage();
  const sums = useQuery(tagSumsQuery(isAdmin, filter, name));
  const { perUnit } = useQuotaDisplay();
  const digits = moneyDigits(
    (sums.data ?? []).map(({ quota, refunded }) => quota - refunded),
    perUnit,
  );
  const columns = useMemo(
    (): readonly Column<LogTagSum>[] => [
      {
        id: 'value',
        title: text.tagTitle,
        role: 'title',
        fixed: true,
        render: ({ value }) => (
          <Link
            to="/log"
            className={classes.link}
            search={(before: object) => ({
              ...before,
              tag: writeTag(name, value),
              by: undefined,
              p: undefined,
            })}
          >
            {writeTag(name, value)}
          </Link>
        ),
      },
      {
        id: 'spent',
        title: text.spent,
        align: 'end',
        card: 'corner',
        render: ({ quota, refunded }) => <Money quota={quota - refunded} digits={digits} />,
      },
      {
        id: 'calls',
        title: text.calls,
        align: 'end',
        card: 'line',
        render: ({ calls }) => formatNumber(calls, language),
      },
    ],
    [name, language, digits],
  );
  return (
    <Panel title={t(text.spentByTag, { name })} flush>
      <DataTable
        name="log-tags"
        label={t(text.spentByTag, { name })}
        columns={columns}
        rowId={({ value }) => value}
        query={sums}
        empty={
          <EmptyState
            icon={<Tags size={20} />}
            title={t(text.noTag)}
            hint={t(text.noTagHint, { header: product.headers.tags })}
          />
        }
        bare
      />
    </Panel>
  );
}
