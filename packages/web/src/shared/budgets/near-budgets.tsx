import { useQuery } from '@tanstack/react-query';
import type { BudgetData } from '@tollgate/contract';
import { useTranslate } from '../../lib/i18n.ts';
import { Panel } from '../../ui/panel.tsx';
import { BudgetBar, nearShare } from './budget-bar.tsx';
import classes from './budgets.module.css';
import { budgetsQuery } from './queries.ts';
import { text } from './text.ts';

/** Maximum number of shown budgets; the fullest come first. */
const shown = 4;

const share = ({ used, held, amount }: BudgetData) => (amount === 0 ? 1 : (used + held) / amount);

/** Budgets that are nearly used up; hidden without any. */
export function NearBudgets({ userId }: { userId: number | undefined }) {
  const t = useTranslate();
  const { data = [] } = useQuery(
    budgetsQuery({ near: nearShare, ...(userId !== undefined && { user_id: userId }) }),
  );
  if (data.length === 0) return null;
  const fullest = data.toSorted((a, b) => share(b) - share(a)).slice(0, shown);
  return (
    <Panel title={t(text.near, { count: data.length })}>
      <ul className={classes.list}>
        {fullest.map((budget) => (
          <li key={budget.id}>
            <span className={classes.name}>
              {budget.subject === '' ? budget.name : `${budget.subject} · ${budget.name}`}
            </span>
            <BudgetBar budget={budget} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
