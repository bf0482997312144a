import { moneyDigits, type ReratingData } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import type { Column } from '../../shared/data-table/types.ts';
import { Time } from '../../shared/date-time/time.tsx';
import { Money } from '../../shared/money/money.tsx';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { TextButton } from '../../ui/text-button.tsx';
import classes from './corrections.module.css';
import { correctionSearch } from './search.ts';
import { State } from './state.tsx';
import { text } from './text.ts';

/** The columns of the list; all amounts have the decimals that the largest of them needs. */
export const correctionColumns = (rows: readonly ReratingData[]): Column<ReratingData>[] => {
  const quotas = rows.flatMap(({ given_back: back, collected }) => [back, collected]);
  return [
    { id: 'begun', title: text.begun, width: '150px', render: (row) => <Time at={row.created_time} /> },
    {
      id: 'reason',
      title: text.reason,
      role: 'title',
      fixed: true,
      render: (row) => <Reason row={row} />,
    },
    { id: 'state', title: text.state, card: 'corner', render: (row) => <State correction={row} /> },
    { id: 'actor', title: text.actor, render: (row) => <Actor correction={row} /> },
    {
      id: 'charges',
      title: text.charges,
      align: 'end',
      render: (row) => <Count value={row.corrected_rows} />,
    },
    {
      id: 'back',
      title: text.givenBack,
      align: 'end',
      render: (row) => <Amount quota={row.given_back} quotas={quotas} />,
    },
    {
      id: 'collected',
      title: text.collected,
      align: 'end',
      render: (row) => row.collect && <Amount quota={row.collected} quotas={quotas} />,
    },
  ];
};

/** The reason; it opens the correction. */
function Reason({ row }: { row: ReratingData }) {
  const [, setSearch] = useUrlState(correctionSearch);
  return (
    <TextButton className={classes.link} onClick={() => setSearch({ open: row.id })}>
      <span className={classes.reason} title={row.reason}>
        {row.reason}
      </span>
    </TextButton>
  );
}

/** The user who started it. */
export function Actor({ correction: { actor_id: id, actor_name: name } }: { correction: ReratingData }) {
  const t = useTranslate();
  return name === '' ? <span className={classes.quiet}>{t(text.goneActor, { id })}</span> : name;
}

function Count({ value }: { value: number }) {
  return <span className="tabular">{formatNumber(value, useLanguage())}</span>;
}

interface AmountProps {
  quota: number;
  quotas: readonly number[];
}

/** One amount of a column, with the decimals of the column. */
export function Amount({ quota, quotas }: AmountProps) {
  const { perUnit } = useQuotaDisplay();
  return <Money quota={quota} digits={moneyDigits(quotas, perUnit)} />;
}
