import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSay } from '../../lib/i18n.ts';
import { CopyButton } from '../../shared/copy/copy-button.tsx';
import { TryIt } from '../../shared/try-it/try-it.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Tag } from '../../ui/tag.tsx';
import classes from './page.module.css';
import { firstCallQuery } from './queries.ts';
import { text } from './text.ts';

/** Step 3: a real call with the new token, its answer, and what it cost. */
export function CallStep() {
  const say = useSay();
  const { data, isPending } = useQuery(firstCallQuery);
  const [charged, setCharged] = useState(false);
  const toConsole = (
    <div className={classes.buttons}>
      <span />
      <Button component={Link} to="/token" variant={charged || !data ? 'filled' : 'default'}>
        {say(text.toConsole)}
      </Button>
    </div>
  );
  if (isPending) return <div className={classes.body}>{<Skeleton height={180} />}</div>;
  if (!data) {
    return (
      <div className={classes.body}>
        <Notice tone="good">{say(text.done)}</Notice>
        <p style={{ margin: 0 }}>{say(text.noSandbox)}</p>
        {toConsole}
      </div>
    );
  }
  return (
    <div className={classes.body}>
      <Notice tone="good" role="status">
        <strong>{say(text.done)}</strong>
        <br />
        {say(charged ? text.charged : text.doneHint)}
      </Notice>
      <div className={classes.key}>
        <Tag tone="warn">{say(text.sandboxMark)}</Tag>
        <span className={classes.keyText}>{data.key}</span>
        <CopyButton value={data.key} what={say(text.yourKey)} />
      </div>
      <TryIt apiKey={data.key} models={data.models} onCharged={() => setCharged(true)} />
      {toConsole}
    </div>
  );
}
