import { type AuditData, wayToSignIn } from '@tollgate/contract';
import { useSay, type Say } from '../../lib/i18n.ts';
import { ChangeList } from '../../shared/audit/change-list.tsx';
import { outcomeWords } from '../../shared/audit/kind-tag.tsx';
import { Money } from '../../shared/money/money.tsx';
import { Facts } from '../../ui/facts.tsx';
import classes from './audit.module.css';
import { text } from './text.ts';

/** Everything that a row tells, with what changed before and after. */
export function Details({ row }: { row: AuditData }) {
  const say = useSay();
  return (
    <div className={classes.details}>
      <ChangeList changes={row.changes} />
      <Facts rows={[...notesOf(row, say), ...factsOf(row, say)]} />
    </div>
  );
}

function notesOf({ note }: AuditData, say: Say) {
  return Object.entries(note).map(([name, value]) => {
    if (name === 'amount' && typeof value === 'number')
      return [say(text.amount), <Money key={name} quota={value} />] as const;
    return [name === 'reason' ? say(text.reason) : name, String(value ?? '')] as const;
  });
}

const factsOf = (row: AuditData, say: Say) =>
  [
    [say(text.outcome), outcomeWords(row.outcome, say)],
    [say(text.actor), row.actor_id > 0 ? `${row.actor_name} #${row.actor_id}` : ''],
    [say(text.target), row.target_name === '' ? row.target_id : `${row.target_name} #${row.target_id}`],
    [say(text.method), say(wayToSignIn(row.method))],
    [say(text.address), row.ip],
    [say(text.browser), row.user_agent],
    [say(text.requestId), row.request_id],
    [say(text.rowId), `#${row.id}`],
  ] as const;
