import { Anchor, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../../lib/session.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { explain } from './problems.ts';
import { problemText, rawText, text } from '../base/text.ts';
import classes from './thread.module.css';
import type { Answer, Problem } from '../base/types.ts';

interface ProblemNoticeProps {
  answer: Pick<Answer, 'model' | 'group' | 'requestId'>;
  problem: Problem;
  canRetry: boolean;
  onRetry: () => void;
}

/** Reason of a failed answer and the next step, with the gateway's message and the request id below. */
export function ProblemNotice({ answer, problem, canRetry, onRetry }: ProblemNoticeProps) {
  const t = useTranslate();
  const user = useCurrentUser();
  const { words, topUp, setPrice } = explain(answer, problem, t, mayAccess(user, 'root'));
  const { requestId } = answer;
  return (
    <div className={classes.problem}>
      <Notice
        tone="bad"
        role="alert"
        actions={
          <Button size="xs" variant="default" disabled={!canRetry} onClick={onRetry}>
            {t(text.retry)}
          </Button>
        }
      >
        {words}{' '}
        {topUp && (
          <Anchor component={Link} to="/topup" size="sm">
            {t(problemText.topUp)}
          </Anchor>
        )}
        {setPrice && (
          <Link to="/prices" search={{ q: answer.model }}>
            {t(problemText.setPrice)}
          </Link>
        )}
        {requestId && !setPrice && mayAccess(user, 'admin') && (
          <Link to="/log" search={{ range: 'all', request: requestId }}>
            {t(problemText.logRow)}
          </Link>
        )}
        <div className={classes.problemDetails}>
          {problem.message}
          {problem.code && ` · ${problem.code}`}
          {requestId && <CopyButton value={requestId} what={t(rawText.requestId)} size="xs" />}
        </div>
      </Notice>
    </div>
  );
}
