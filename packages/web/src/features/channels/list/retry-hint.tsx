import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../../lib/session.ts';
import { Hint } from '../../../shared/feedback/hint.tsx';
import { attentionQuery } from '../../../shared/attention.ts';
import { useDismissed } from '../../../shared/feedback/use-dismissed.ts';
import { text } from '../base/text.ts';
import classes from './columns.module.css';

const hintName = 'retries';

/** Hint for administrators who can turn on retries: without retries a second channel is never tried. */
export function RetryHint({ channels }: { channels: number }) {
  const t = useTranslate();
  const isRoot = mayAccess(useCurrentUser(), 'root');
  const [hidden] = useDismissed(hintName);
  const { data } = useQuery({ ...attentionQuery, enabled: isRoot && !hidden });
  if (!isRoot || channels < 2 || data?.retries !== 0) return null;
  const search: Record<string, string> = { q: 'RetryTimes' };
  return (
    <div className={classes.hint}>
      <Hint
        name={hintName}
        action={
          <Button
            size="compact-sm"
            variant="subtle"
            renderRoot={(props) => <Link to="/setting" search={search} {...props} />}
          >
            {t(text.setRetries)}
          </Button>
        }
      >
        {t(text.noRetries)}
      </Hint>
    </div>
  );
}
