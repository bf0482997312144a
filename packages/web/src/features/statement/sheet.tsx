import { exactDigits, movementNames, showDecimal, type StatementData } from '@tollgate/contract';
import type { ReactNode } from 'react';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Panel } from '../../ui/panel.tsx';
import classes from './page.module.css';
import { text } from './text.ts';

/** Text of an amount in dollars. */
type Dollars = (quota: number) => string;

/** All amounts of a statement with the same decimals, which are enough for them to add up as they are shown. */
function useDollars({
  opening,
  closing,
  movements,
  charged,
  keys,
  models,
  unlogged,
}: StatementData): Dollars {
  const { perUnit } = useQuotaDisplay();
  const parts = [...movements, ...keys, ...models].map(({ amount }) => amount);
  const digits = exactDigits([opening, closing, charged, unlogged, ...parts], perUnit);
  return (quota) => `${quota < 0 ? '-' : ''}$${showDecimal(Math.abs(quota) / perUnit, digits)}`;
}

interface LineProps {
  name: ReactNode;
  count?: number | undefined;
  amount: string;
  strong?: boolean;
}

function Line({ name, count, amount, strong = false }: LineProps) {
  const language = useLanguage();
  return (
    <tr data-strong={strong || undefined}>
      <th scope="row" colSpan={count === undefined ? 2 : 1}>
        {name}
      </th>
      {count !== undefined && <td className="tabular">{formatNumber(count, language)}</td>}
      <td className="tabular">{amount}</td>
    </tr>
  );
}

interface LinesProps {
  label: string;
  first: string;
  /** False if no line has a count. */
  counted?: boolean;
  children: ReactNode;
}

function Lines({ label, first, counted = true, children }: LinesProps) {
  const t = useTranslate();
  return (
    <table className={classes.lines} aria-label={label}>
      <thead>
        <tr>
          <th scope="col" colSpan={counted ? 1 : 2}>
            {first}
          </th>
          {counted && <th scope="col">{t(text.entries)}</th>}
          <th scope="col">{t(text.amount)}</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** The lines of a month, from the opening to the closing balance, and the charges by key and by model. */
export function Sheet({ statement, isNow }: { statement: StatementData; isNow: boolean }) {
  const t = useTranslate();
  const dollars = useDollars(statement);
  const { opening, closing, movements, charged, calls } = statement;
  const nameOf = (kind: string): string => {
    const name = movementNames[kind];
    return name ? t(name) : kind;
  };
  return (
    <>
      <Panel flush>
        <Lines label={t(text.account)} first={t(text.account)}>
          <Line name={t(text.opening)} amount={dollars(opening)} strong />
          {movements.map(({ kind, amount, count }) => (
            <Line key={kind} name={nameOf(kind)} count={count} amount={dollars(amount)} />
          ))}
          <Line name={nameOf('usage')} count={calls} amount={dollars(0 - charged)} />
          <Line name={t(isNow ? text.closingNow : text.closing)} amount={dollars(closing)} strong />
        </Lines>
      </Panel>
      <Charges statement={statement} dollars={dollars} />
    </>
  );
}

function Charges({ statement, dollars }: { statement: StatementData; dollars: Dollars }) {
  const t = useTranslate();
  const { keys, models, unlogged, charged, calls } = statement;
  const keyName = ({ token_id: id, name }: StatementData['keys'][number]): string =>
    name || (id === 0 ? t(text.playground) : t(text.deletedKey, { id }));
  if (keys.length === 0)
    return (
      <Panel>
        <p className={classes.quiet}>{t(text.noCalls)}</p>
      </Panel>
    );
  return (
    <div className={classes.pair}>
      <Panel title={t(text.byKey)} flush>
        <Lines label={t(text.byKey)} first={t(text.key)}>
          {keys.map((key) => (
            <Line key={key.token_id} name={keyName(key)} count={key.count} amount={dollars(key.amount)} />
          ))}
          <Line name={t(text.total)} count={calls} amount={dollars(charged)} strong />
        </Lines>
      </Panel>
      <Panel title={t(text.byModel)} hint={t(text.byModelHint)} flush>
        <Lines label={t(text.byModel)} first={t(text.model)} counted={false}>
          {models.map(({ model, amount }) => (
            <Line key={model} name={model} amount={dollars(amount)} />
          ))}
          {unlogged !== 0 && <Line name={t(text.unlogged)} amount={dollars(unlogged)} />}
          <Line name={t(text.total)} amount={dollars(charged)} strong />
        </Lines>
      </Panel>
    </div>
  );
}
