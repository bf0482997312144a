import { ActionIcon, Button, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { BudgetData } from '@tollgate/contract';
import { Plus, Trash2 } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { useConfirm } from '../confirm/use-confirm.tsx';
import { MutationButton } from '../demo/mutation-button.tsx';
import { useDemoDisabled } from '../demo/use-demo-disabled.ts';
import { openLazyDialog } from '../dialog/open-lazy-dialog.ts';
import { toastWhenDone } from '../feedback/toast.ts';
import { LoadError } from '../state/load-error.tsx';
import { BudgetBar, useBudgetAmount } from './budget-bar.tsx';
import classes from './budgets.module.css';
import { type BudgetScope, budgetsQuery, useRemoveBudget } from './queries.ts';
import { text } from './text.ts';

interface BudgetsProps {
  /** Target of the budgets; a new one has the same target. */
  scope: BudgetScope;
  /** Whether the reader may add a budget. Each budget says whether it may be changed. */
  mayAdd: boolean;
}

/** The budgets of a key, user, member, organisation or group, with their remainders. */
export function Budgets({ scope, mayAdd }: BudgetsProps) {
  const t = useTranslate();
  const { data, error, refetch } = useQuery(budgetsQuery(scope));
  const edit = (budget?: BudgetData) =>
    void openLazyDialog({
      title: budget ? t(text.editTitle, { name: budget.name }) : t(text.addTitle),
      body: async (close) => {
        const { BudgetForm } = await import('./budget-form.tsx');
        return <BudgetForm scope={scope} budget={budget} onClose={close} />;
      },
    });
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={48} />;
  return (
    <div>
      {data.length === 0 ? (
        <p className={classes.quiet}>{t(text.none)}</p>
      ) : (
        <ul className={classes.list} aria-label={t(text.title)}>
          {data.map((budget) => (
            <li key={budget.id}>
              <Head budget={budget} onEdit={() => edit(budget)} />
              {budget.for_each === '' && <BudgetBar budget={budget} />}
            </li>
          ))}
        </ul>
      )}
      {mayAdd && (
        <div className={classes.add}>
          <MutationButton size="xs" variant="default" leftSection={<Plus size={14} />} onClick={() => edit()}>
            {t(text.add)}
          </MutationButton>
        </div>
      )}
    </div>
  );
}

/** Name, terms and permitted actions of a budget. */
function Head({ budget, onEdit }: { budget: BudgetData; onEdit: () => void }) {
  const t = useTranslate();
  const worth = useBudgetAmount(budget);
  const confirm = useConfirm();
  const remove = useRemoveBudget();
  const demo = useDemoDisabled();
  const {
    id,
    name,
    amount,
    period,
    sliding,
    model,
    mode,
    instead,
    for_each: forEach,
    enabled,
    set_by: setBy,
    may_change: mayChange,
  } = budget;
  const ask = async () => {
    const agreed = await confirm({
      title: t(text.removeTitle, { name }),
      body: t(text.removeBody),
      action: t(text.removeAction),
      danger: true,
    });
    if (agreed) await toastWhenDone(remove.mutateAsync(id), t(text.removed));
  };
  const terms = [
    `${worth(amount)} ${t(sliding && period !== 'term' && period !== 'run' ? text[`any${period}`] : text[period])}`,
    model,
    forEach !== '' && t(forEach === 'user' ? text.eachUser : text.eachMember),
    mode === 'soft' && t(text.warns),
    mode === 'cheaper' && t(text.instead, { model: instead }),
    !mayChange && setBy !== 'own' && t(setBy === 'team' ? text.byTeam : text.bySite),
    !enabled && t(text.off),
  ];
  return (
    <div className={classes.head}>
      <div>
        <span className={classes.name}>{name}</span>
        <p className={classes.quiet}>{terms.filter(Boolean).join(' · ')}</p>
      </div>
      {mayChange && (
        <Group gap={2} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t(text.change, { name })}
            onClick={onEdit}
            {...demo}
          >
            {t(text.edit)}
          </Button>
          <ActionIcon aria-label={t(text.remove, { name })} onClick={() => void ask()} {...demo}>
            <Trash2 size={14} />
          </ActionIcon>
        </Group>
      )}
    </div>
  );
}
