import type { LogData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useTranslate } from '../../../lib/i18n.ts';
import { MoneySum } from '../../../shared/money/money.tsx';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { otherOf } from '../base/other.ts';
import { TaskLink } from '../base/task-link.tsx';
import classes from './receipt.module.css';
import { receiptText as text } from './receipt-text.ts';
import { taskPriceText } from './task-price.ts';

/** Refunded amount and reason of a task, with links to the task and to its charge. */
export function Refund({ row }: { row: LogData }) {
  const t = useTranslate();
  const wireWords = useWireWords();
  const { task } = otherOf(row);
  if (!task) return null;
  return (
    <div className={classes.receipt}>
      <DescriptionList
        rows={[
          [t(text.content), wireWords(row.content)],
          [t(text.reason), wireWords(task.reason)],
          [t(text.charged), task.charged > 0 && <MoneySum key="charged" quota={task.charged} />],
          [t(text.givenBack), <MoneySum key="back" quota={row.quota} />],
          [t(text.taskPrice), taskPriceText(task, t)],
        ]}
      />
      <DescriptionList
        rows={[
          [t(text.taskAction), task.action],
          [
            t(text.task),
            <TaskLink key="task" task={task}>
              <InlineCode>{task.id}</InlineCode>
            </TaskLink>,
          ],
          [
            t(text.requestId),
            <Link key="request" to="/log" search={{ request: row.request_id, range: 'all' }}>
              {t(text.toCharge)}
            </Link>,
          ],
        ]}
      />
    </div>
  );
}
