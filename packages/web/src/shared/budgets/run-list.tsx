import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type BudgetData, runTag, writeTag } from '@tollgate/contract';
import { useTranslate } from '../../lib/i18n.ts';
import { MutationButton } from '../demo/mutation-button.tsx';
import { openLazyDialog } from '../dialog/open-lazy-dialog.ts';
import { FormSection } from '../form-drawer/form-section.tsx';
import { BudgetBar } from './budget-bar.tsx';
import classes from './budgets.module.css';
import { type RunScope, runListQuery } from './queries.ts';
import { text } from './text.ts';

interface RunListProps {
  scope: RunScope;
  title: string;
  /** Whose runs they are; '' for the reader. */
  username: string;
}

/** Runs of a user, or those of the keys that a key has made, with their limits. Hidden while there are none. */
export function RunList({ scope, title, username }: RunListProps) {
  const { data = [] } = useQuery(runListQuery(scope));
  if (data.length === 0) return null;
  return (
    <FormSection title={title}>
      <ul className={classes.list} aria-label={title}>
        {data.map((run) => (
          <li key={run.id}>
            <Head run={run} username={username} />
            <BudgetBar budget={run} />
          </li>
        ))}
      </ul>
    </FormSection>
  );
}

function Head({ run, username }: { run: BudgetData; username: string }) {
  const t = useTranslate();
  const whose = username === '' ? {} : { username };
  const tag = writeTag(runTag(run.run.split('/').length), run.run);
  const edit = () =>
    openLazyDialog({
      title: t(text.runTitle, { run: run.run }),
      body: async (close) => {
        const { BudgetForm } = await import('./budget-form.tsx');
        return <BudgetForm scope={{}} budget={run} onClose={close} />;
      },
    });
  return (
    <div className={classes.head}>
      <div>
        <span className={classes.name}>
          <Anchor
            inherit
            renderRoot={(props) => (
              <Link
                {...props}
                to="/log"
                search={{ ...whose, tag, range: 'custom', start: run.window_start }}
              />
            )}
          >
            {run.run}
          </Anchor>
        </span>
        {run.key_hint !== '' && <p className={classes.quiet}>sk-{run.key_hint}</p>}
      </div>
      {run.may_change && (
        <MutationButton
          size="compact-xs"
          variant="default"
          aria-label={t(text.runTitle, { run: run.run })}
          onClick={() => void edit()}
        >
          {t(text.edit)}
        </MutationButton>
      )}
    </div>
  );
}
