import type { ReportRow, UsagePart } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useSay } from '../../lib/i18n.ts';
import { MoneySum } from '../../shared/money/money.tsx';
import classes from './reconciliation.module.css';
import { text } from './text.ts';

const day = 86_400;

/** The calls of a part, as the usage log reads its address. */
export const logSearchOf = (row: ReportRow, part: UsagePart): Record<string, string> => ({
  type: '2',
  range: 'custom',
  start: String(row.day),
  end: String(row.day + day - 1),
  channel: String(part.channel),
  model: `=${part.model}`,
});

/** What a row is made of: our channels, the names that callers asked for, and the way to their calls. */
export function Parts({ row }: { row: ReportRow }) {
  const say = useSay();
  return (
    <div className={classes.parts}>
      {row.names.length > 1 && (
        <span className={classes.quiet}>{say(text.names, { names: row.names.join(', ') })}</span>
      )}
      {row.parts.length === 0 && <span>{say(text.noParts)}</span>}
      {row.parts.map((part) => (
        <Part key={`${part.channel} ${part.model}`} row={row} part={part} />
      ))}
    </div>
  );
}

function Part({ row, part }: { row: ReportRow; part: UsagePart }) {
  const say = useSay();
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  const channel = part.channel_name || say(text.gone, { id: part.channel });
  return (
    <div className={classes.part}>
      <strong>{channel}</strong>
      <span>{part.model}</span>
      <span className="tabular">
        {say(text.calls)} {count(part.calls)}
      </span>
      <span className="tabular">
        {say(text.input)} {count(part.input)}
      </span>
      <span className="tabular">
        {say(text.output)} {count(part.output)}
      </span>
      <span>
        {say(text.cost)} <MoneySum quota={part.cost} />
      </span>
      {part.unknown_calls > 0 && (
        <span className={classes.quiet}>{say(text.unknown, { count: count(part.unknown_calls) })}</span>
      )}
      <Link to="/log" search={logSearchOf(row, part)} className={classes.link}>
        {say(text.inLog)}
      </Link>
    </div>
  );
}
