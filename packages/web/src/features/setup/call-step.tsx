import { Button, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { TryIt } from '../../shared/try-it/try-it.tsx';
import { selfModelsQuery } from '../../shared/self.ts';
import { Notice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import classes from './page.module.css';
import { text } from './text.ts';

interface CallStepProps {
  /** The sandbox token as clients send it; null without a sandbox. */
  apiKey: string | null;
}

/** Step 3: a real call with the new token, its answer and its cost. */
export function CallStep({ apiKey }: CallStepProps) {
  const t = useTranslate();
  const models = useQuery({ ...selfModelsQuery, enabled: apiKey !== null });
  const [charged, setCharged] = useState(false);
  const toConsole = (
    <div className={classes.buttons}>
      <span />
      <Button component={Link} to="/detail" variant={charged || apiKey === null ? 'filled' : 'default'}>
        {t(text.toConsole)}
      </Button>
    </div>
  );
  if (apiKey === null) {
    return (
      <div className={classes.body}>
        <Notice tone="good">{t(text.done)}</Notice>
        <Text>{t(text.noSandbox)}</Text>
        {toConsole}
      </div>
    );
  }
  return (
    <div className={classes.body}>
      <Notice tone="good" role="status">
        <strong>{t(text.done)}</strong>
        <br />
        {t(charged ? text.charged : text.doneHint)}
        {charged && (
          <>
            {' '}
            <Link to="/log" search={{ range: 'today' }} className={classes.link}>
              {t(text.receipt)}
            </Link>
          </>
        )}
      </Notice>
      <div className={classes.key}>
        <Tag tone="warn">{t(text.sandboxMark)}</Tag>
        <span className={classes.keyText}>{apiKey}</span>
        <CopyButton value={apiKey} what={t(text.yourKey)} />
      </div>
      {models.data === undefined ? (
        <Skeleton height={120} />
      ) : (
        <TryIt apiKey={apiKey} models={models.data} onCharged={() => setCharged(true)} />
      )}
      {toConsole}
    </div>
  );
}
