import type { UserData } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { Figure, figureValue } from '../../ui/figure.tsx';
import { Money } from './money.tsx';
import classes from './spent.module.css';

const text = texts({
  byTeams: { zh: '另由组织支付', en: 'Also paid by organisations' },
});

interface SpentProps {
  label: ReactNode;
  /** undefined while it is loading. */
  user: Pick<UserData, 'used_quota' | 'team_used_quota'> | undefined;
  /** Whether it could not be loaded. */
  isError?: boolean;
}

/** Spending from a user's own wallet, in a list; a mark and the tooltip show the payments of organisations. */
export function SpentInList({ user }: { user: Pick<UserData, 'used_quota' | 'team_used_quota'> }) {
  const t = useTranslate();
  const byTeams = user.team_used_quota;
  return (
    <>
      <Money quota={user.used_quota} />
      {byTeams > 0 && (
        <small className={classes.beside} title={t(text.byTeams)}>
          {' + '}
          <Money quota={byTeams} />
        </small>
      )}
    </>
  );
}

/** Cost of a user's calls from their own wallet; payments of organisations are below. */
export function Spent({ label, user, isError = false }: SpentProps) {
  const t = useTranslate();
  const byTeams = user?.team_used_quota ?? 0;
  return (
    <Figure
      label={label}
      value={figureValue({ data: user, isError }, ({ used_quota: used }) => (
        <Money quota={used} />
      ))}
      note={
        byTeams > 0 ? (
          <>
            {t(text.byTeams)} <Money quota={byTeams} />
          </>
        ) : undefined
      }
    />
  );
}
