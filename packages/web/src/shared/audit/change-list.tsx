import type { AuditData } from '@tollgate/contract';
import { useSay } from '../../lib/i18n.ts';
import classes from './change-list.module.css';
import { auditText } from './text.ts';

type Changes = AuditData['changes'];

interface ValueProps {
  value: Changes[string]['before'];
  side: 'before' | 'after';
}

function Value({ value, side }: ValueProps) {
  const say = useSay();
  if (value === null || value === '') return <span className={classes.none}>{say(auditText.nothing)}</span>;
  return (
    <code className={classes.value} data-side={side}>
      {String(value)}
    </code>
  );
}

/** The fields that changed, each before and after. */
export function ChangeList({ changes }: { changes: Changes }) {
  const say = useSay();
  const rows = Object.entries(changes);
  if (rows.length === 0) return null;
  return (
    <table className={classes.table} aria-label={say(auditText.changes)}>
      <thead>
        <tr>
          <th scope="col">{say(auditText.field)}</th>
          <th scope="col">{say(auditText.before)}</th>
          <th scope="col">{say(auditText.after)}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, { before, after }]) => (
          <tr key={name}>
            <td className={classes.field}>{name}</td>
            <td>
              <Value value={before} side="before" />
            </td>
            <td>
              <Value value={after} side="after" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
