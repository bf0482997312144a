import { Button } from '@mantine/core';
import type { LogData } from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { useTranslate } from '../../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../../lib/session.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { otherOf } from '../base/other.ts';
import { readContent } from '../base/queries.ts';
import classes from './receipt.module.css';
import { receiptText as text } from './receipt-text.ts';

/** The captured texts of a call, for root and the owners of the organisation whose rule captured it. */
export function CapturedContent({ row }: { row: LogData }) {
  const t = useTranslate();
  const isRoot = mayAccess(useCurrentUser(), 'root');
  const { data, error, mutate, isPending } = useMutation({ mutationFn: () => readContent(row.request_id) });
  if (!otherOf(row).isCaptured || !(isRoot || row.team_id !== 0)) return null;
  return (
    <div>
      <h2 className={classes.heading}>{t(text.captured)}</h2>
      {!data && (
        <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
          {t(text.showContent)}
        </Button>
      )}
      {!data && <p className={classes.ratios}>{t(text.contentAudited)}</p>}
      {error && <LoadError error={error} onRetry={mutate} />}
      {data && <Texts label={t(text.requestTexts)} words={data.request} />}
      {data && <Texts label={t(text.answerText)} words={data.answer} />}
    </div>
  );
}

/** Long texts scroll in their frame, which takes the focus for the arrow keys. */
function Texts({ label, words }: { label: string; words: string }) {
  return (
    <figure className={classes.captured}>
      <figcaption>{label}</figcaption>
      <pre tabIndex={0} aria-label={label}>
        {words}
      </pre>
    </figure>
  );
}
