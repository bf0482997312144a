import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type BudgetData, runTag, writeTag } from '@tollgate/contract';
import { texts, useTranslate } from '../../../lib/i18n.ts';
import { BudgetBar } from '../../../shared/budgets/budget-bar.tsx';
import classes from '../../../shared/budgets/budgets.module.css';
import { runsQuery } from '../../../shared/budgets/queries.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { openLazyDialog } from '../../../shared/dialog/open-lazy-dialog.ts';
import { Panel } from '../../../ui/panel.tsx';
import cells from '../base/cells.module.css';

const text = texts({
  title: { zh: '任务 {run}', en: 'Run {run}' },
  change: { zh: '修改', en: 'Change' },
  changeTitle: { zh: '修改任务“{run}”', en: 'Change the run “{run}”' },
  madeBy: { zh: '密钥 sk-{hint}，由“{key}”创建', en: 'Key sk-{hint}, made by “{key}”' },
  parts: { zh: '子任务', en: 'Sub-runs' },
});

const tagOf = (run: string): string => writeTag(runTag(run.split('/').length), run);

interface RunSummaryProps {
  run: string;
  /** Whose run it is; '' for the reader. */
  username: string;
}

/** What a run has used, holds and leaves, with its sub-runs. Hidden for a tag that is no run. */
export function RunSummary({ run, username }: RunSummaryProps) {
  const t = useTranslate();
  const { data } = useQuery(runsQuery(run, username));
  const [found, ...parts] = data ?? [];
  if (!found) return null;
  return (
    <Panel
      title={t(text.title, { run })}
      actions={
        found.may_change && (
          <MutationButton
            size="compact-xs"
            variant="default"
            onClick={() => void edit(found, t(text.changeTitle, { run }))}
          >
            {t(text.change)}
          </MutationButton>
        )
      }
    >
      <BudgetBar budget={found} />
      {found.key_hint !== '' && (
        <p className={classes.quiet}>{t(text.madeBy, { key: found.subject, hint: found.key_hint })}</p>
      )}
      {parts.length > 0 && (
        <ul className={classes.list} aria-label={t(text.parts)} style={{ marginTop: 14 }}>
          {parts.map((part) => (
            <li key={part.id}>
              <Link
                to="/log"
                className={cells.link}
                search={(before: object) => ({ ...before, tag: tagOf(part.run), p: undefined })}
              >
                {part.run}
              </Link>
              <BudgetBar budget={part} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const edit = (budget: BudgetData, title: string) =>
  openLazyDialog({
    title,
    body: async (close) => {
      const { BudgetForm } = await import('../../../shared/budgets/budget-form.tsx');
      return <BudgetForm scope={{}} budget={budget} onClose={close} />;
    },
  });
