import { type AuditData, wayToSignIn } from '@tollgate/contract';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import type { QuotaDisplay } from '../../lib/format/number-format.ts';
import { useSay, type Say } from '../../lib/i18n.ts';
import { ChangeList } from '../../shared/audit/change-list.tsx';
import { fieldWords, valueWords } from '../../shared/audit/field-words.ts';
import { outcomeWords } from '../../shared/audit/kind-tag.tsx';
import { DescriptionList } from '../../ui/description-list.tsx';
import classes from './audit.module.css';
import { text } from './text.ts';

/** Everything that a row tells, with what changed before and after. */
export function Details({ row }: { row: AuditData }) {
  const say = useSay();
  const display = useQuotaDisplay();
  return (
    <div className={classes.details}>
      <ChangeList changes={row.changes} target={row.target_type} />
      <DescriptionList rows={[...notesOf(row, say, display), ...factsOf(row, say)]} />
    </div>
  );
}

const notesOf = ({ note, target_type: target }: AuditData, say: Say, display: QuotaDisplay) =>
  Object.entries(note).map(
    (each) => [fieldWords(each[0], say), valueWords(each, { target, say, display })] as const,
  );

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
