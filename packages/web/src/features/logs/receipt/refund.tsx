import type { LogData } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { useSay } from '../../../lib/i18n.ts';
import { MoneySum } from '../../../shared/money/money.tsx';
import { useWireWords } from '../../../shared/wire-words/use-wire-words.ts';
import { DescriptionList } from '../../../ui/description-list.tsx';
import { InlineCode } from '../../../ui/inline-code.tsx';
import { otherOf } from '../base/other.ts';
import { TaskLink } from '../base/task-link.tsx';
import classes from './receipt.module.css';
import { receiptText as text } from './receipt-text.ts';
import { taskPriceWords } from './task-price.ts';

/** What came back of a task, of how much, and why; with the ways to the task and to its charge. */
export function Refund({ row }: { row: LogData }) {
  const say = useSay();
  const wireWords = useWireWords();
  const { task } = otherOf(row);
  if (!task) return null;
  return (
    <div className={classes.receipt}>
      <DescriptionList
        rows={[
          [say(text.content), wireWords(row.content)],
          [say(text.reason), wireWords(task.reason)],
          [say(text.charged), task.charged > 0 && <MoneySum key="charged" quota={task.charged} />],
          [say(text.givenBack), <MoneySum key="back" quota={row.quota} />],
          [say(text.taskPrice), taskPriceWords(task, say)],
        ]}
      />
      <DescriptionList
        rows={[
          [say(text.taskAction), task.action],
          [
            say(text.task),
            <TaskLink key="task" task={task}>
              <InlineCode>{task.id}</InlineCode>
            </TaskLink>,
          ],
          [
            say(text.requestId),
            <Link key="request" to="/log" search={{ request: row.request_id, range: 'all' }}>
              {say(text.toCharge)}
            </Link>,
          ],
        ]}
      />
    </div>
  );
}
