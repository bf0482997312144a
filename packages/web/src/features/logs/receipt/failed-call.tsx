import type { LogData } from '@tollgate/contract';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { CopyableId } from '../../../shared/copy/copyable-id.tsx';
import { errorLabel } from '../../../shared/wire-words/error-labels.ts';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { TagLinks } from '../base/tag-links.tsx';
import { failureOf } from '../base/failure.ts';
import classes from './receipt.module.css';
import { receiptText as text } from './receipt-text.ts';
import { Tries } from './tries.tsx';

/** Reason of a failed call: the caller's answer, and for operators the upstream's message and the attempts. */
export function FailedCall({ row }: { row: LogData }) {
  const t = useTranslate();
  const language = useLanguage();
  const wireWords = useWireWords();
  const failure = failureOf(row);
  const { status, code, path, calls, upstream, tries } = failure;
  const answered = [status || '', errorLabel(code, language)].filter(Boolean).join(' · ');
  return (
    <div className={classes.receipt}>
      <DescriptionList
        rows={[
          [t(text.answeredWith), answered],
          [t(text.content), wireWords(row.content)],
          [t(text.upstreamWords), upstream && `${upstream.status} · ${wireWords(upstream.message)}`],
          [t(text.path), path],
          [t(text.calls), calls > 1 ? t(text.callsMore, { count: formatNumber(calls, language) }) : ''],
          [t(text.tags), row.tags && <TagLinks key="tags" row={row} />],
          [
            t(text.requestId),
            row.request_id && <CopyableId key="id" id={row.request_id} what={t(text.requestId)} />,
          ],
        ]}
      />
      <div className={classes.side}>
        <Tries tries={tries} />
      </div>
    </div>
  );
}
