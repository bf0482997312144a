import { Skeleton } from '@mantine/core';
import { logType, type LogData, type ReceiptData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { stored } from '../../../lib/storage.ts';
import { formatDuration } from '../../../lib/format/number-format.ts';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { About } from './about.tsx';
import { Bill } from './bill.tsx';
import { CapturedContent } from './captured-content.tsx';
import { Correction } from './correction.tsx';
import { FailedCall } from './failed-call.tsx';
import { otherOf } from '../base/other.ts';
import { receiptQuery } from '../base/queries.ts';
import classes from './receipt.module.css';
import { receiptText as text } from './receipt-text.ts';
import { Refund } from './refund.tsx';
import { SignedReceipt } from './signed-receipt.tsx';
import { Tries } from './tries.tsx';

/** The details below a row: the receipt of a call, the error of a failed one, or the text of another row. */
export function RowDetails({ row }: { row: LogData }) {
  if (row.type === logType.error) return <FailedCall row={row} />;
  if (row.type === logType.refund && otherOf(row).task) return <Refund row={row} />;
  if (otherOf(row).correction) return <Correction row={row} />;
  return row.type === logType.consume && row.request_id !== '' ? (
    <CallReceipt row={row} />
  ) : (
    <Plain row={row} />
  );
}

function Plain({ row }: { row: LogData }) {
  const t = useTranslate();
  const wireWords = useWireWords();
  return (
    <div className={classes.receipt}>
      <DescriptionList
        rows={[
          [t(text.content), wireWords(row.content)],
          [t(text.requestId), row.request_id],
        ]}
      />
    </div>
  );
}

function CallReceipt({ row }: { row: LogData }) {
  const { data, error, refetch } = useQuery(receiptQuery(row.request_id));
  const isShown = data !== undefined;
  useEffect(() => {
    if (isShown) stored.receiptSeen.set(true);
  }, [isShown]);
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (!data)
    return (
      <div className={classes.receipt}>
        <Skeleton height={150} />
        <Skeleton height={150} />
      </div>
    );
  return (
    <div className={classes.receipt}>
      <Bill receipt={data} of={otherOf(row)} />
      <div className={classes.side}>
        <Timing timings={data.timings} />
        <Tries tries={data.route.tries} />
        <About receipt={data} row={row} />
        <SignedReceipt receipt={data} />
        <CapturedContent row={row} />
      </div>
    </div>
  );
}

function Timing({ timings }: Pick<ReceiptData, 'timings'>) {
  const t = useTranslate();
  const { first_byte_ms: first, total_ms: total } = timings;
  if (total === null) return null;
  const share = first === null || total === 0 ? 1 : Math.min(1, first / total);
  return (
    <div>
      <h2 className={classes.heading}>{t(text.timing)}</h2>
      <div className={classes.bar} aria-hidden="true">
        <span className={classes.wait} style={{ width: `${share * 100}%` }} />
        <span className={classes.flow} style={{ width: `${(1 - share) * 100}%` }} />
      </div>
      <div className={classes.legend}>
        {first !== null && (
          <>
            <span>{t(text.untilFirst, { time: formatDuration(first) })}</span>
            <span>{t(text.streaming, { time: formatDuration(total - first) })}</span>
          </>
        )}
        <span>{t(text.inAll, { time: formatDuration(total) })}</span>
      </div>
    </div>
  );
}
