import { product } from '@tollgate/contract';
import type { Report } from './kit/report.ts';

/** The report in plain words. */
export function reportText(report: Report): string {
  const { source } = report;
  const version = source.version === '' ? '' : ` ${source.version}`;
  const lines = [`Source: ${source.program}${version}, on ${source.database}`];
  if (report.repeated) lines.push('This import had been made before: nothing of it was written again.');
  else if (report.dryRun) lines.push('A dry run: nothing was written.');
  lines.push('', ...countLines(report), '', ...sumLines(report));
  if (report.keysCompared > 0)
    lines.push(
      `${report.keysCompared} keys were looked up as callers send them: same user, group and limits.`,
    );
  for (const { id, username, quota } of report.negative)
    lines.push(
      `User ${id} (${username}) owed ${-quota} units (${dollars(-quota, report)}): begins at 0, the debt is written off.`,
    );
  lines.push(...namesLine('Models without a price, which refuse calls until you set one', report.unpriced));
  lines.push(...priceLines(report));
  for (const { id, name, reason } of report.channelsOff)
    lines.push(`Channel ${id} (${name}) is off: ${reason}`);
  for (const { key, reason } of report.optionsRefused) lines.push(`Option ${key} was not carried: ${reason}`);
  lines.push(...namesLine(`Options that ${product.name} does not have`, report.optionsLeft));
  lines.push(...report.notes);
  return `${lines.join('\n')}\n`;
}

const countLines = ({ counts }: Report): string[] =>
  counts.map(({ what, read, written, skipped }) => {
    const left = Object.entries(skipped).map(([reason, number]) => `${number} ${reason}`);
    return `${what}: ${read} read, ${written} written${left.length > 0 ? `; left out: ${left.join(', ')}` : ''}`;
  });

const sumLines = (report: Report): string[] =>
  report.sums.map(({ what, source, target }) => {
    const verdict = source === target ? 'equal' : `NOT EQUAL: ${target} units in ${product.name}`;
    return `${what}: ${source} units (${dollars(source, report)}), ${verdict}`;
  });

const dollars = (units: number, { quotaPerUnit }: Report): string => `$${(units / quotaPerUnit).toFixed(2)}`;

/** Every changed price, before and after. */
function priceLines({ source, standIns, pricesWritten, pricesRefused, pricesDiffer }: Report): string[] {
  return [
    ...pricesRefused.map(
      ({ key, model, value }) => `${key} of ${model} is ${value} there, which is no price: it has none here`,
    ),
    ...(pricesWritten > 0
      ? [`Prices that ${source.program} applied without having stored them, now stored: ${pricesWritten}`]
      : []),
    ...namesLine(
      `Models without a price, which ${source.program} charged by its ratio for such models, as now does ${product.name}`,
      standIns,
    ),
    ...pricesDiffer.map(
      ({ model, what, there, here }) =>
        `Price of ${model} differs: ${what} ${there ?? 'none'} there, ${here ?? 'none'} here`,
    ),
  ];
}

function namesLine(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`${what}: ${names.join(', ')}`];
}
