import { Button, Skeleton } from '@mantine/core';
import { optionApi, type VersionCheck } from '@tollgate/contract';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { Notice } from '../../../ui/notice.tsx';
import classes from './version.module.css';
import { versionText as text } from './text.ts';

/** Below the key of the settings, so that saving the switch asks anew. */
const latestQuery = queryOptions({
  queryKey: ['settings', 'latest-version'],
  queryFn: ({ signal }) => call(optionApi.latestVersion, {}, { signal }),
  meta: { quiet: true },
});

/** Whether there is a newer version, as far as the operator lets the server ask. */
export function LatestVersion() {
  const t = useTranslate();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { data, isError } = useQuery(latestQuery);
  if (isError) return <Notice tone="warn">{t(text.askFailed)}</Notice>;
  if (!data) return <Skeleton height={40} />;
  if (!data.enabled) return <p className={classes.help}>{t(text.off)}</p>;
  const askAgain = async () => {
    setAsking(true);
    try {
      client.setQueryData(latestQuery.queryKey, await call(optionApi.latestVersion, { again: 'true' }));
    } finally {
      setAsking(false);
    }
  };
  return (
    <>
      <Found found={data} />
      <div className={classes.asked}>
        <span className={classes.help}>{t(text.askedAt, { time: formatDateTime(data.checked_time) })}</span>
        <Button size="xs" variant="default" loading={isAsking} onClick={() => void askAgain()}>
          {t(text.askAgain)}
        </Button>
      </div>
    </>
  );
}

/** Notes are shown as they came, as text: they are written by others. */
function Found({ found: { failed, is_newer: isNewer, latest, page, notes } }: { found: VersionCheck }) {
  const t = useTranslate();
  if (failed) return <Notice tone="warn">{t(text.askFailed)}</Notice>;
  if (!isNewer) return <Notice tone="good">{t(text.newest, { version: latest })}</Notice>;
  return (
    <Notice tone="info">
      <strong>{t(text.newer, { version: latest })}</strong>{' '}
      {page !== '' && (
        <a href={page} target="_blank" rel="noreferrer">
          {t(text.releasePage)}
        </a>
      )}
      {notes !== '' && <div className={classes.notes}>{notes}</div>}
    </Notice>
  );
}
