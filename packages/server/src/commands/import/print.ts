import type { Report } from './kit/report.ts';

/** Names that one line shows. */
const shownNames = 20;

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
  lines.push(
    ...namesLine(
      "Models whose price the source did not store, now at Tollgate's built-in price",
      report.builtInPrices,
    ),
    ...namesLine(
      "Models whose output ratio the source did not store, now at Tollgate's built-in ratio",
      report.builtInOutput,
    ),
  );
  for (const { id, name, reason } of report.channelsOff)
    lines.push(`Channel ${id} (${name}) is off: ${reason}`);
  for (const { key, reason } of report.optionsRefused) lines.push(`Option ${key} was not carried: ${reason}`);
  lines.push(...namesLine('Options that Tollgate does not have', report.optionsLeft));
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
    const verdict = source === target ? 'equal' : `NOT EQUAL: ${target} units in Tollgate`;
    return `${what}: ${source} units (${dollars(source, report)}), ${verdict}`;
  });

const dollars = (units: number, { quotaPerUnit }: Report): string => `$${(units / quotaPerUnit).toFixed(2)}`;

function namesLine(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, shownNames).join(', ');
  const more = names.length > shownNames ? `, and ${names.length - shownNames} more (--json names all)` : '';
  return [`${what}: ${shown}${more}`];
}
